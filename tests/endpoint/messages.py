"""Anthropic's Messages API, which Claude Code speaks."""
import json
import uuid

ERRORS = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error",
          413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error"}

OVERFLOW = ("prompt is too long: 205000 tokens > 200000 maximum", None)


def flat(content):
    """The text of a system prompt or a message, tool results included."""
    if isinstance(content, str):
        return content
    parts = []
    for block in content or []:
        if block.get("type") == "text":
            parts.append(block.get("text", ""))
        elif block.get("type") == "tool_result":
            parts.append(flat(block.get("content")))
    return "\n".join(parts)


def read(body):
    said = body.get("messages") or []
    results = [sum(block.get("type") == "tool_result" for block in message.get("content") or []
                   if isinstance(block, dict)) for message in said]
    users = [message for message in said if message.get("role") == "user"]
    answered = max((at for at, message in enumerate(said) if message.get("role") == "assistant"), default=-1)
    return {"system": flat(body.get("system")), "user": flat(users[-1].get("content")) if users else "",
            "ever": "\n".join(flat(message.get("content")) for message in users), "results": sum(results), "is_result": any(results[answered + 1:]),
            "tools": {tool["name"]: tool.get("input_schema") for tool in body.get("tools") or [] if "name" in tool}}


def error(status, message, _code):
    return {"type": "error", "error": {"type": ERRORS.get(status, "api_error"), "message": message}}


def answer(text, calls, usage, model, stream):
    stop = "tool_use" if calls else "end_turn"
    message = {"id": "msg_" + uuid.uuid4().hex[:24], "type": "message", "role": "assistant", "content": [],
               "model": model, "stop_reason": None, "stop_sequence": None}
    if not stream:
        content = [{"type": "text", "text": text}]
        yield dict(message, content=content, stop_reason=stop, usage=usage)
        return
    yield event("message_start", message=dict(message, usage=dict(usage, output_tokens=1)))
    blocks = [({"type": "text", "text": ""}, {"type": "text_delta", "text": text})] if text or not calls else []
    for call in calls:
        start = {"type": "tool_use", "id": "toolu_" + uuid.uuid4().hex[:24], "name": call["name"], "input": {}}
        blocks.append((start, {"type": "input_json_delta", "partial_json": json.dumps(call["input"])}))
    for index, (start, delta) in enumerate(blocks):
        yield event("content_block_start", index=index, content_block=start)
        yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    yield event("message_delta", usage=usage, delta={"stop_reason": stop, "stop_sequence": None})
    yield event("message_stop")


def event(name, **fields):
    return name, dict(fields, type=name)
