#!/usr/bin/env python3
"""endpoint.py: a scripted endpoint that speaks Messages, Responses, Chat Completions and Gemini's API, so that real
agent CLIs run without a key and without a network.

    endpoint.py SCRIPT.json --log REQUESTS.jsonl        (Python >= 3.8, stdlib only)

It binds a free port of 127.0.0.1, prints "PORT n", and answers until its stdin is closed.

SCRIPT  {"replies": [REPLY, ...],                                    answers, in the order of the requests
         "routes": [{"when": {"system": "words"}, "replies": [...]}]}  looked at first: requests whose system
                                                                     prompt holds these words, sub-agents' say;
                                                                     or "user": the person's last words, "ever": words
                                                                     of the person's, and "results": so many of tools
REPLY   "text", "tool_use": {"name", "input"} or a list of them      the blocks of the answer; a call of "Bash" is one
                                                                     of the shell tool that the request offers
        "usage": {"input_tokens": ...}                               merged over a small default; in Messages' way:
                                                                     what was cached is counted apart
        "error": {"status": 529, "message": "Overloaded"}            an API error instead of an answer, with a "code"
                                                                     where the API has one
        "overflow": true                                             the API's own error for a prompt that does not fit
        "drop": true                                                 the connection ends in the middle of the answer
        "delay_ms": 0                                                a wait before it
        "times": 1                                                   used so many times; -1: for ever
A script that has run out answers 400, so that a run which asks too often fails. What a CLI asks on the side (a title,
say) it asks without tools: no reply is used up for that, if no route is meant for it.

LOG     one JSON object for each request that used a reply: {"api", "session", "agent", "beta", "last_user",
        "is_result", "body"}; "is_result": what is new in it is the result of a tool.
"""
import argparse
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import chat
import generate
import messages
import responses

# Each reads a request: {"system", "user", "ever", "results", "is_result", "tools", "stream"}, writes an answer,
# and has the form of its errors, and the words of one.
APIS = [("/messages", messages), ("/responses", responses), ("/chat/completions", chat),
        (":generateContent", generate), (":streamGenerateContent", generate)]
USAGE = {"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 5}
EXHAUSTED = {"error": {"status": 400, "message": "the script has run out"}}
ASIDE = {"text": "{}"}


class Script:
    def __init__(self, script):
        self.lock = threading.Lock()
        self.routes = script.get("routes", [])
        self.replies = script.get("replies", [])

    def next(self, asked):
        """The reply to a request; None where it is one on the side."""
        with self.lock:
            for route in self.routes:
                when = route["when"]
                if when.get("system", "") not in asked["system"] or when.get("user", "") not in asked["user"]:
                    continue
                if when.get("ever", "") not in asked["ever"]:
                    continue
                if when.get("results", asked["results"]) != asked["results"]:
                    continue
                reply = self.take(route["replies"])
                if reply:
                    return reply
            if asked["is_aside"]:
                return None
            return self.take(self.replies) or EXHAUSTED

    @staticmethod
    def take(replies):
        for reply in replies:
            left = reply.setdefault("times", 1)
            if left != 0:
                reply["times"] = left - 1 if left > 0 else left
                return reply
        return None


def offered_shell(reply, tools):
    """The calls of a reply, of the shell tool that was offered where they are of Bash."""
    calls = reply.get("tool_use", [])
    calls = calls if isinstance(calls, list) else [calls]
    return [of_shell(call, tools) if call["name"] == "Bash" and "Bash" not in tools else call for call in calls]


def of_shell(call, tools):
    name = next((name for name in ("bash", "run_shell_command", "exec_command") if name in tools), "Bash")
    schema = tools.get(name) or {}
    known = schema.get("properties") or {}
    command = "cmd" if "cmd" in known else "command"
    arguments = {command: call["input"].get("command", "")}
    blank = {"boolean": False, "string": "x", "number": 1, "integer": 1}
    for key in schema.get("required") or []:
        arguments.setdefault(key, blank.get(str((known.get(key) or {}).get("type")).lower(), "x"))
    return {"name": name, "input": arguments}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.send_json(200, {})

    def do_GET(self):
        self.send_json(200, {"object": "list", "data": []})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.split("?")[0]
        if path.endswith(":countTokens"):
            return self.send_json(200, {"totalTokens": 10})
        api = next((api for end, api in APIS if path.endswith(end)), None)
        if not api:
            return self.send_json(404, {"type": "error", "error": {"type": "not_found_error", "message": "no"}})
        asked = dict({"is_aside": False, "stream": bool(body.get("stream"))}, **api.read(body))
        if path.endswith(":streamGenerateContent"):
            asked["stream"] = True
        model = body.get("model") or path.rsplit("/", 1)[-1].split(":")[0]
        try:
            reply = self.server.script.next(asked)
            if reply is not None:
                self.server.note({
                    "api": api.__name__,
                    "session": self.headers.get("x-claude-code-session-id") or self.headers.get("session_id"),
                    "agent": self.headers.get("x-claude-code-agent-id"), "beta": self.headers.get("anthropic-beta"),
                    "last_user": asked["user"], "is_result": asked["is_result"], "body": body})
            self.answer(api, reply if reply is not None else ASIDE, asked, model)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def answer(self, api, reply, asked, model):
        time.sleep(reply.get("delay_ms", 0) / 1000)
        if reply.get("overflow"):
            return self.send_json(400, api.error(400, *api.OVERFLOW))
        if "error" in reply:
            error = reply["error"]
            return self.send_json(error["status"], api.error(error["status"], error["message"], error.get("code")))
        usage = dict(USAGE, **reply.get("usage", {}))
        calls = offered_shell(reply, asked["tools"])
        written = api.answer(reply.get("text", ""), calls, usage, model, asked["stream"])
        if not asked["stream"]:
            return self.hang_up() if reply.get("drop") else self.send_json(200, next(written))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for number, (name, data) in enumerate(written):
            if reply.get("drop") and number > 1:
                return self.hang_up()
            self.event(name, data)
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

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

    def event(self, name, data):
        """One event of a stream; some APIs name theirs."""
        text = data if isinstance(data, str) else json.dumps(data)
        event = (("event: %s\n" % name if name else "") + "data: %s\n\n" % text).encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
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
    parser = argparse.ArgumentParser(description="A scripted endpoint for agent CLIs")
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
