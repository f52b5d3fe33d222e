#!/usr/bin/env python3
"""messages.py: a scripted Messages and Responses endpoint, so that a real Claude Code and a real Codex run without a
key and without a network.

    messages.py SCRIPT.json --log REQUESTS.jsonl        (Python >= 3.8, stdlib only)

It binds a free port of 127.0.0.1, prints "PORT n", and answers until its stdin is closed.

SCRIPT  {"replies": [REPLY, ...],                                    answers, in the order of the requests
         "routes": [{"when": {"system": "words"}, "replies": [...]}]}  looked at first: requests whose system
                                                                     prompt holds these words, sub-agents' say;
                                                                     or "user": the person's last words, and
                                                                     "results": so many of tools (Responses)
REPLY   "text", "tool_use": {"name", "input"} or a list of them      the blocks of the answer
        "usage": {"input_tokens": ...}                               merged over a small default
        "error": {"status": 529, "message": "Overloaded"}            an API error instead of an answer, with a "code"
                                                                     of the Responses API's where it has one
        "drop": true                                                 the connection ends in the middle of the answer
        "delay_ms": 0                                                a wait before it
        "times": 1                                                   used so many times; -1: for ever
A script that has run out answers 400, so that a run which asks too often fails.

LOG     one JSON object for each request: {"session", "agent", "beta", "last_user", "body"}.
"""
import argparse
import json
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

USAGE = {"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 5}
ERRORS = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error",
          413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error"}
EXHAUSTED = {"error": {"status": 400, "message": "the script has run out"}}


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


def last_user(body):
    users = [message for message in body.get("messages") or [] if message.get("role") == "user"]
    return flat(users[-1].get("content")) if users else ""


class Script:
    def __init__(self, script):
        self.lock = threading.Lock()
        self.routes = script.get("routes", []) + [{"when": {}, "replies": script.get("replies", [])}]

    def next(self, system, user, results=0):
        with self.lock:
            for route in self.routes:
                when = route["when"]
                if when.get("system", "") not in system or when.get("user", "") not in user:
                    continue
                if when.get("results", results) != results:
                    continue
                for reply in route["replies"]:
                    left = reply.setdefault("times", 1)
                    if left != 0:
                        reply["times"] = left - 1 if left > 0 else left
                        return reply
        return EXHAUSTED


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.send_json(200, {})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if self.path.split("?")[0].endswith("/responses"):
            return self.respond(body)
        if not self.path.split("?")[0].endswith("/messages"):
            return self.send_json(404, {"type": "error", "error": {"type": "not_found_error", "message": "no"}})
        system = flat(body.get("system"))
        self.server.note({
            "session": self.headers.get("x-claude-code-session-id"),
            "agent": self.headers.get("x-claude-code-agent-id"),
            "beta": self.headers.get("anthropic-beta"), "last_user": last_user(body), "body": body})
        try:
            self.answer(self.server.script.next(system, last_user(body)), body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def send_json(self, status, document):
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def hang_up(self):
        self.close_connection = True
        self.connection.shutdown(2)

    def event(self, name, **fields):
        data = b"event: %s\ndata: %s\n\n" % (name.encode(), json.dumps(dict(fields, type=name)).encode())
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def answer(self, reply, body):
        time.sleep(reply.get("delay_ms", 0) / 1000)
        if "error" in reply:
            status, message = reply["error"]["status"], reply["error"]["message"]
            return self.send_json(status, {
                "type": "error", "error": {"type": ERRORS.get(status, "api_error"), "message": message}})
        usage = dict(USAGE, **reply.get("usage", {}))
        calls = reply.get("tool_use", [])
        calls = calls if isinstance(calls, list) else [calls]
        stop = "tool_use" if calls else "end_turn"
        message = {"id": "msg_" + uuid.uuid4().hex[:24], "type": "message", "role": "assistant", "content": [],
                   "model": body.get("model"), "stop_reason": None, "stop_sequence": None}
        text = reply.get("text", "")
        if not body.get("stream"):
            if reply.get("drop"):
                return self.hang_up()
            content = [{"type": "text", "text": text}]
            return self.send_json(200, dict(message, content=content, stop_reason=stop, usage=usage))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.event("message_start", message=dict(message, usage=dict(usage, output_tokens=1)))
        blocks = [({"type": "text", "text": ""}, {"type": "text_delta", "text": text})] if text or not calls else []
        for call in calls:
            start = {"type": "tool_use", "id": "toolu_" + uuid.uuid4().hex[:24], "name": call["name"], "input": {}}
            blocks.append((start, {"type": "input_json_delta", "partial_json": json.dumps(call["input"])}))
        for index, (start, delta) in enumerate(blocks):
            self.event("content_block_start", index=index, content_block=start)
            if reply.get("drop"):
                return self.hang_up()
            self.event("content_block_delta", index=index, delta=delta)
            self.event("content_block_stop", index=index)
        self.event("message_delta", usage=usage, delta={"stop_reason": stop, "stop_sequence": None})
        self.event("message_stop")
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()


    def respond(self, body):
        """The same script in the words of the Responses API, which Codex speaks."""
        said = [item for item in body.get("input") or [] if item.get("role") == "user"]
        text = "\n".join(part.get("text", "") for part in (said[-1]["content"] if said else []))
        self.server.note({"session": self.headers.get("session_id"), "last_user": text, "body": body})
        try:
            results = sum(item.get("type") == "function_call_output" for item in body.get("input") or [])
            self.send_response_of(self.server.script.next(flat(body.get("instructions")), text, results), body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def send_response_of(self, reply, body):
        time.sleep(reply.get("delay_ms", 0) / 1000)
        if "error" in reply:
            status, message = reply["error"]["status"], reply["error"]["message"]
            code = reply["error"].get("code", ERRORS.get(status, "api_error"))
            return self.send_json(status, {"error": {"message": message, "type": code, "code": code}})
        usage = dict(USAGE, **reply.get("usage", {}))
        cached = usage["cache_read_input_tokens"]
        seen = usage["input_tokens"] + cached + usage["cache_creation_input_tokens"]
        calls = reply.get("tool_use", [])
        items = [{"type": "message", "id": "msg_" + uuid.uuid4().hex, "role": "assistant",
                  "content": [{"type": "output_text", "text": reply.get("text", "")}]}]
        for call in calls if isinstance(calls, list) else [calls]:
            shell = json.dumps({"cmd": call["input"].get("command", "")})
            items.append({"type": "function_call", "id": "fc_" + uuid.uuid4().hex, "name": "exec_command",
                          "arguments": shell, "call_id": "call_" + uuid.uuid4().hex})
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        response = {"id": "resp_" + uuid.uuid4().hex, "model": body.get("model")}
        self.event("response.created", response=response)
        for index, item in enumerate(items):
            if reply.get("drop"):
                return self.hang_up()
            self.event("response.output_item.done", output_index=index, item=item)
        self.event("response.completed", response=dict(response, usage={
            "input_tokens": seen, "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": usage["output_tokens"], "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": seen + usage["output_tokens"]}))
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script, log):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script, self.log, self.lock = script, log, threading.Lock()

    def note(self, request):
        with self.lock:
            self.log.write(json.dumps(request) + "\n")
            self.log.flush()


def main():
    parser = argparse.ArgumentParser(description="A scripted Messages endpoint")
    parser.add_argument("script")
    parser.add_argument("--log", required=True)
    arguments = parser.parse_args()
    with open(arguments.script, encoding="utf-8") as file:
        script = Script(json.load(file))
    with open(arguments.log, "w", encoding="utf-8") as log:
        server = Server(script, log)
        print("PORT %d" % server.server_address[1], flush=True)
        # Whoever started us may be killed without a chance to end us.
        threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
        server.serve_forever(poll_interval=0.1)


if __name__ == "__main__":
    main()
