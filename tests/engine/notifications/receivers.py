"""A receiver of notices at a port of this machine, which can be down."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Post(NamedTuple):
    """What was posted."""

    path: str
    headers: Mapping[str, str]
    body: bytes


class Inbox:
    """What a receiver was sent, and what it answers next."""

    def __init__(self) -> None:
        self.posts: list[Post] = []
        self.answers: list[int] = []
        self.changed = threading.Condition()

    def take(self, post: Post) -> int:
        """Keep what came, and return the status to answer."""
        with self.changed:
            status = self.answers.pop(0) if self.answers else 200
            if status < 300:
                self.posts.append(post)
                self.changed.notify_all()
            return status

    def wait_for(self, count: int, seconds: float = 60) -> list[Post]:
        """Return what came, once there are so many."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.posts) >= count, seconds), len(self.posts)
            return list(self.posts)


@contextmanager
def listening(inbox: Inbox, port: int = 0) -> Iterator[int]:
    """Receive at a port of this machine, and yield it."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.send_response(inbox.take(Post(self.path, headers, body)))
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base names it
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 128

    with Server(("127.0.0.1", port), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
