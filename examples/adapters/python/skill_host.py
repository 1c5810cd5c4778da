#!/usr/bin/env python3
"""A complete skill host that proofmark can question: one JSON-RPC message a line, over stdin and stdout; with
`--http PORT` each message is a POST to http://127.0.0.1:PORT instead.

This file is the conversation only. What the host decides is in `activation.py` and `lifecycle.py`, what it knows about
skills in `registry.py`, and how it judges receipts and traces in `receipts.py` and `traces.py`. Nothing is carried from
one request to the next, but for the sessions of `lifecycle.py`.
"""

import json
import math
import os
import sys
import traceback

# An example should leave nothing behind in the folder that it is run from.
sys.dont_write_bytecode = True

import activation
import lifecycle
import packet_views
import packets
import receipts
import registry
import traces

PROTOCOL = 1

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
NO_COMMON_PROTOCOL = -32001

OPERATIONS = {
    "activation.evidence": activation.evidence,
    "activation.catalog": activation.catalog,
    "activation.load": activation.load,
    "activation.read": activation.read,
    "registry.merge": registry.merge,
    "lifecycle.validate_receipt": receipts.validate_receipt,
    "lifecycle.validate_trace": traces.validate_trace,
    "lifecycle.plan": lifecycle.plan,
    "packet.validate": packets.validate,
    "packet.render": packet_views.render,
    "packet.project": packet_views.project,
}

# The one operation that is asked in several requests. It is declared by its own name.
SESSION_OPERATION = "lifecycle.run"
SESSION_METHODS = {
    "lifecycle.open": lifecycle.open_session,
    "lifecycle.step": lifecycle.step_session,
    "lifecycle.close": lifecycle.close_session,
}

METHODS = {**OPERATIONS, **SESSION_METHODS}


class RpcError(Exception):
    """The request could not be tried at all. A refusal by the contract is a result, never one of these."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Conversation:
    def __init__(self):
        self.initialized = False
        self.finished = False

    def answer(self, line):
        """The answer to one line, as one line. Whatever came in, something valid goes out."""
        request_id = None
        try:
            message = decode(line)
            request_id = id_of(message)
            return encode({"jsonrpc": "2.0", "id": request_id, "result": self.call(message)})
        except RpcError as error:
            code, text = error.code, str(error)
        except UnicodeEncodeError:
            code, text = INVALID_PARAMS, "a text holds half of a surrogate pair"
        except Exception as error:
            traceback.print_exc()
            code, text = INTERNAL_ERROR, f"the host failed: {type(error).__name__}"
        return encode({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}})

    def call(self, message):
        method = message.get("method")
        if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
            raise RpcError(INVALID_REQUEST, "not a JSON-RPC 2.0 request")
        if not self.initialized and method != "initialize":
            raise RpcError(NOT_INITIALIZED, "the conversation starts with initialize")
        if method not in METHODS and method not in ("initialize", "shutdown"):
            raise RpcError(METHOD_NOT_FOUND, "this host has no such method")
        params = message.get("params", {})
        if not isinstance(params, dict):
            raise RpcError(INVALID_PARAMS, "params must be an object")

        if method == "initialize":
            return self.initialize(params)
        if method == "shutdown":
            self.finished = True
            return None
        try:
            return METHODS[method](params)
        except registry.BadParams as error:
            raise RpcError(INVALID_PARAMS, str(error)) from None
        except registry.Refusal as refusal:
            result = {"error": {"category": refusal.category}}
            if refusal.event is not None:
                result["event"] = refusal.event
            return result

    def initialize(self, params):
        offered = params.get("protocol")
        if not isinstance(offered, list) or PROTOCOL not in map(activation.whole, offered):
            raise RpcError(NO_COMMON_PROTOCOL, f"this host speaks protocol {PROTOCOL} only")
        self.initialized = True
        return {
            "protocol": PROTOCOL,
            "implementation": {"name": "python-skill-host", "version": "1.0.0", "language": "python"},
            "operations": [*OPERATIONS, SESSION_OPERATION],
            "contracts": {
                "skill_activation_evidence": [activation.SCHEMA_VERSION],
                "skill_lifecycle": [1],
                "evidence_return_packet": [packets.VERSION],
            },
            "rendering": activation.PROFILE,
            "diagnostics": "rules",
            "max_in_flight": 64,
        }


def id_of(message):
    request_id = message.get("id") if isinstance(message, dict) else None
    if not isinstance(request_id, str) and not registry.is_number(request_id):
        raise RpcError(INVALID_REQUEST, "a request is an object whose id is a text or a number")
    try:
        encode(request_id)
    except UnicodeEncodeError:
        raise RpcError(INVALID_REQUEST, "the id holds half of a surrogate pair") from None
    return request_id


def decode(line):
    try:
        return json.loads(
            line.decode("utf-8"), object_pairs_hook=unique, parse_float=finite, parse_constant=finite
        )
    except RecursionError:
        raise RpcError(PARSE_ERROR, "nested too deeply") from None
    except ValueError as error:
        raise RpcError(PARSE_ERROR, f"not a line of JSON in UTF-8: {error}") from None


def unique(pairs):
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a key is given twice")
    return fields


def finite(literal):
    number = float(literal)
    if not math.isfinite(number):
        raise ValueError(f"{literal} is no number that can be answered with")
    return number


def encode(message):
    return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8") + b"\n"


def main():
    conversation = Conversation()
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(conversation.answer(line))
        sys.stdout.buffer.flush()
        if conversation.finished:
            break


def serve_http(port):
    """The same over HTTP, on this machine only. Such a host has many conversations, so that `shutdown` does not end it."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    shared = Conversation()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self):
            length = self.headers.get("Content-Length", "")
            if not (length.isascii() and length.isdigit()):
                self.close_connection = True
                return self.send_error(411)
            body = shared.answer(self.rfile.read(int(length)))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 128

    with Server(("127.0.0.1", port), Handler) as server:
        print(f"http://127.0.0.1:{server.server_port}/", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    try:
        if sys.argv[1:2] == ["--http"]:
            serve_http(int(sys.argv[2]))
        else:
            main()
    except BrokenPipeError:
        # Whoever asked is gone. Python would complain once more when it closes stdout at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
