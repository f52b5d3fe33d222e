"""Gemini's API (generateContent), which Gemini CLI speaks."""

STATUS = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
          429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE"}

OVERFLOW = ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", None)


def read(body):
    said = body.get("contents") or []
    results = [sum("functionResponse" in part for part in content.get("parts") or []) for content in said]
    users = [content for content in said if content.get("role") == "user"
             and any("text" in part for part in content.get("parts") or [])]
    declared = [tool for tools in body.get("tools") or [] for tool in tools.get("functionDeclarations") or []]
    return {"system": flat(body.get("systemInstruction")), "user": flat(users[-1]) if users else "",
            "ever": "\n".join(map(flat, users)),
            "results": sum(results), "is_result": any(results[-1:]), "is_aside": not declared,
            "tools": {tool["name"]: tool.get("parametersJsonSchema") or tool.get("parameters") for tool in declared}}


def flat(content):
    return "\n".join(part.get("text", "") for part in (content or {}).get("parts") or [])


def error(status, message, _code):
    return {"error": {"code": status, "message": message, "status": STATUS.get(status, "UNKNOWN")}}


def answer(text, calls, usage, model, stream):
    cached = usage["cache_read_input_tokens"]
    seen = usage["input_tokens"] + cached + usage["cache_creation_input_tokens"]
    counts = {"promptTokenCount": seen, "cachedContentTokenCount": cached,
              "candidatesTokenCount": usage["output_tokens"], "totalTokenCount": seen + usage["output_tokens"]}
    parts = ([{"text": text}] if text else []) + [
        {"functionCall": {"name": call["name"], "args": call["input"]}} for call in calls]
    candidate = lambda parts, **more: dict(
        {"candidates": [dict({"content": {"role": "model", "parts": parts}, "index": 0}, **more)],
         "modelVersion": model})
    whole = dict(candidate(parts, finishReason="STOP"), usageMetadata=counts)
    if not stream:
        yield whole
        return
    for part in parts[:-1]:
        yield None, candidate([part])
    yield None, dict(candidate(parts[-1:], finishReason="STOP"), usageMetadata=counts)
