"""OpenAI's Responses API, which Codex speaks."""
import json
import uuid

from messages import ERRORS

OVERFLOW = ("Your input exceeds the context window of this model. Please adjust your input and try again.",
            "context_length_exceeded")


def read(body):
    items = body.get("input") or []
    said = [item for item in items if item.get("role") == "user"]
    results = [item.get("type") == "function_call_output" for item in items]
    texts = ["\n".join(part.get("text", "") for part in item["content"]) for item in said]
    return {"system": body.get("instructions") or "", "results": sum(results), "is_result": results[-1:] == [True],
            "user": (texts or [""])[-1], "ever": "\n".join(texts),
            "tools": {tool["name"]: tool.get("parameters") for tool in body.get("tools") or [] if "name" in tool}}


def error(status, message, code):
    code = code or ERRORS.get(status, "api_error")
    return {"error": {"message": message, "type": code, "code": code}}


def answer(text, calls, usage, model, _stream):
    items = [{"type": "message", "id": "msg_" + uuid.uuid4().hex, "role": "assistant",
              "content": [{"type": "output_text", "text": text}]}]
    for call in calls:
        items.append({"type": "function_call", "id": "fc_" + uuid.uuid4().hex, "name": call["name"],
                      "arguments": json.dumps(call["input"]), "call_id": "call_" + uuid.uuid4().hex})
    response = {"id": "resp_" + uuid.uuid4().hex, "model": model}
    yield event("response.created", response=response)
    for index, item in enumerate(items):
        yield event("response.output_item.done", output_index=index, item=item)
    cached = usage["cache_read_input_tokens"]
    seen = usage["input_tokens"] + cached + usage["cache_creation_input_tokens"]
    yield event("response.completed", response=dict(response, usage={
        "input_tokens": seen, "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": usage["output_tokens"], "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": seen + usage["output_tokens"]}))


def event(name, **fields):
    return name, dict(fields, type=name)
