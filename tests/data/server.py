"""A web server on loopback that gives files, and misbehaves as it is told to."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """How the server answers one request.

    A `status` other than 200 has no file. The file's bytes are `body`, if given, in place of the right ones.
    The connection ends after `cut` bytes of what was to be sent, or stands still there, if `stalls`. Each
    tenth comes after `delay` seconds. Without `length` nobody can tell a whole answer from a cut one.
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    cut: int | None = None
    stalls: bool = False
    delay: float = 0.0
    length: bool = True


@dataclass
class Server:
    """The files it gives by path, how it answers, and what it was asked."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    answers: dict[str, list[Answer]] = field(default_factory=lambda: defaultdict(list))
    requests: list[tuple[str, str]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def next_answer(self, path: str) -> Answer:
        """Return the next of a path's answers; the last one stays."""
        answers = self.answers[path]
        return (answers.pop(0) if len(answers) > 1 else answers[0]) if answers else Answer()


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that leaves in mid-answer is part of the tests."""


@contextmanager
def serving() -> Iterator[Server]:
    """Yield a server that runs until the block ends."""
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers.get("Range", "")
            server.requests.append((self.path, asked))
            answer = server.next_answer(self.path)
            status = answer.status if self.path in server.files else 404
            if status != 200:
                self.send_response(status)
                for name, value in {"Content-Length": "0", **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                return
            body = server.files[self.path] if answer.body is None else answer.body
            self.send_response(200)
            if answer.length:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.send(body if answer.cut is None else body[: answer.cut], answer)

        def send(self, content: bytes, answer: Answer) -> None:
            step = max(1, len(content) // 10)
            for start in range(0, len(content), step):
                time.sleep(answer.delay)
                self.wfile.write(content[start : start + step])
                self.wfile.flush()
            if answer.stalls:
                server.over.wait()
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    with _Server(("127.0.0.1", 0), Handler) as httpd:
        httpd.daemon_threads = True
        server.url = f"http://127.0.0.1:{httpd.server_address[1]}"
        thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            httpd.shutdown()
            thread.join()
