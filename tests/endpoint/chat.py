"""OpenAI's Chat Completions API, which Qwen Code, OpenCode, pi and GitHub Copilot CLI speak."""
import json
import time
import uuid

from messages import ERRORS, flat

OVERFLOW = ("This model's maximum context length is 200000 tokens. However, your messages resulted in 205000 tokens. "
            "Please reduce the length of the messages.", "context_length_exceeded")


def read(body):
    said = body.get("messages") or []
    of = lambda *roles: [flat(message.get("content")) for message in said if message.get("role") in roles]
    return {"system": "\n".join(of("system", "developer")), "user": (of("user") or [""])[-1],
            "ever": "\n".join(of("user")),
            "results": len(of("tool")), "is_result": said[-1:] != [] and said[-1].get("role") == "tool",
            "is_aside": not body.get("tools"),
            "tools": {tool["function"]["name"]: tool["function"].get("parameters")
                      for tool in body.get("tools") or [] if "function" in tool}}


def error(status, message, code):
    code = code or ERRORS.get(status, "api_error")
    return {"error": {"message": message, "type": code, "code": code, "param": None}}


def answer(text, calls, usage, model, stream):
    cached = usage["cache_read_input_tokens"]
    seen = usage["input_tokens"] + cached + usage["cache_creation_input_tokens"]
    counts = {"prompt_tokens": seen, "completion_tokens": usage["output_tokens"],
              "total_tokens": seen + usage["output_tokens"], "prompt_tokens_details": {"cached_tokens": cached}}
    stop = "tool_calls" if calls else "stop"
    whole = {"id": "chatcmpl-" + uuid.uuid4().hex, "created": int(time.time()), "model": model}
    asked = [{"index": index, "id": "call_" + uuid.uuid4().hex[:24], "type": "function",
              "function": {"name": call["name"], "arguments": json.dumps(call["input"])}}
             for index, call in enumerate(calls)]
    if not stream:
        message = {"role": "assistant", "content": text}
        if asked:
            message["tool_calls"] = asked
        yield dict(whole, object="chat.completion", usage=counts,
                   choices=[{"index": 0, "message": message, "finish_reason": stop}])
        return
    chunk = lambda delta, stop=None: (None, dict(
        whole, object="chat.completion.chunk", choices=[{"index": 0, "delta": delta, "finish_reason": stop}]))
    yield chunk({"role": "assistant", "content": ""})
    if text:
        yield chunk({"content": text})
    for call in asked:
        yield chunk({"tool_calls": [call]})
    yield chunk({}, stop)
    yield None, dict(whole, object="chat.completion.chunk", choices=[], usage=counts)
    yield None, "[DONE]"
