"""The notebook's kernel in this process: no port, no socket. It runs one piece of code after the other.

In:   on descriptor 4 "SIZE\n" and the code. Out: on descriptor 3 one byte when it waits for the first time;
then "+SIZE\n" and JSON for each thing that is shown, at once, and after each execution "STATUS 0\n".
What the code prints goes to 1 and 2.
The code of the guest runs in this process: all that is said here is the guest's word.
"""

import asyncio
import base64
import io
import json
import os
import signal
import sys
import threading

from ipykernel.inprocess.ipkernel import InProcessKernel
from traitlets.config import Config

MOST_SHOWN = 256
MOST_BYTES = 8 * 1024 * 1024
MOST_ROWS = 1000
TABLE = "table"
TEXTS = ("image/svg+xml", "text/html", "application/json", "text/markdown", "text/latex", "text/plain")


def take_over():
    """Return the streams of the code and of the word back, out of reach of the guest's own children."""
    for descriptor in (3, 4):
        os.set_inheritable(descriptor, False)
    return open(4, "rb"), open(3, "wb", buffering=0)


def stream(descriptor, errors):
    """Return a text stream that is seen line by line, and loses nothing where the pipe takes only a part."""
    raw = io.FileIO(descriptor, "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", errors, line_buffering=True)


class Shown:
    """What an execution shows, within bounds: each thing goes out as it comes."""

    def __init__(self):
        self.word = None
        self.clear()

    def clear(self):
        """Begin anew."""
        self.count = 0
        self.left = MOST_BYTES

    def take(self, data, final):
        """Keep the richest form, and the text beside it."""
        for mime in (TABLE, "image/png", *TEXTS):
            if mime in data and not (mime == "text/plain" and "image/png" in data):
                self._keep(mime, data[mime], final)
                if mime in (TABLE, "text/plain", "image/png"):
                    return

    def _keep(self, mime, value, final):
        if mime == "image/png":
            value = value if isinstance(value, str) else base64.b64encode(value).decode()
        elif not isinstance(value, str):
            value = json.dumps(value)
        self.left -= len(value)
        self.count += 1
        if self.left >= 0 and self.count <= MOST_SHOWN:
            item = json.dumps({"mime": mime, "data": value, "final": final}).encode()
            send(self.word, b"+%d\n%b" % (len(item), item))


def table_of(value):
    """Return a data frame or series as columns and rows of text, or None."""
    kind = type(value)
    if kind.__name__ not in ("DataFrame", "Series") or not kind.__module__.startswith("pandas."):
        return None
    frame = value.to_frame() if kind.__name__ == "Series" else value
    part = frame.head(MOST_ROWS).reset_index()
    columns = ["" if name == "index" else str(name) for name in part.columns]
    rows = [[str(cell) for cell in row] for row in part.itertuples(index=False, name=None)]
    return {"columns": columns, "rows": rows, "total": len(frame)}


def kernel():
    """Return the kernel, and what it shows."""

    class Relay(InProcessKernel):
        """The kernel, whose messages go to this process and nowhere else."""

        def _io_dispatch(self, change):
            _, message = self.session.recv(self.iopub_socket.io_thread.socket, copy=False)
            relay(message["header"]["msg_type"], message["content"])

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "NoColor"
    made = Relay(config=config, stdout=sys.stdout, stderr=sys.stderr)
    made.shell.run_line_magic("matplotlib", "inline")
    add_tables(made.shell.display_formatter)
    warm(made.shell)
    return made


def warm(shell):
    """Load what the first traceback would otherwise have to wait for: an interrupt has little time."""
    try:
        sys.stdin.no_such_thing()
    except AttributeError:
        shell.InteractiveTB.structured_traceback(*sys.exc_info())


def add_tables(formatter):
    """Let data frames be shown as tables, too."""
    rich = formatter.format

    def with_table(value, include=None, exclude=None):
        data, metadata = rich(value, include, exclude)
        try:
            table = table_of(value)
        except Exception:
            table = None
        return (data if table is None else {**data, TABLE: json.dumps(table)}), metadata

    formatter.format = with_table


shown, idle, speaking = Shown(), threading.Event(), threading.RLock()


def relay(kind, content):
    """Take one message of the kernel: what is shown is kept, an error goes to standard error."""
    if kind in ("display_data", "execute_result"):
        shown.take(content["data"], kind == "execute_result")
    elif kind == "stream":
        (sys.stderr if content["name"] == "stderr" else sys.stdout).write(content["text"])
    elif kind == "error":
        sys.stderr.write("\n".join([*content["traceback"], ""]))
    elif kind == "status" and content["execution_state"] == "idle":
        idle.set()


def execute(made, loop, code):
    """Run one piece of code to its end, and return its exit code."""
    content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
    made.session.send(made.shell_stream, made.session.msg("execute_request", content))
    idle.clear()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        loop.run_until_complete(made.dispatch_shell(made.shell_stream.recv_multipart()))
        _, reply = made.session.recv(made.shell_stream, copy=False)
        status = 0 if reply["content"]["status"] == "ok" else 1
    except KeyboardInterrupt:
        status = 130
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    idle.wait(5)
    return status


def serve(made, code, word):
    """Run what comes until nothing comes any more."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    word.write(b".")
    while line := code.readline():
        shown.clear()
        status = execute(made, loop, code.read(int(line)).decode("utf-8", "replace"))
        for out in (sys.stdout, sys.stderr):
            out.flush()
        send(word, b"%d 0\n" % status)


def send(word, data):
    """Write all of it: the pipe takes it in pieces, and threads of the program may show things, too."""
    with speaking:
        left = memoryview(data)
        while left:
            left = left[word.write(left) :]


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    code, word = take_over()
    shown.word = word
    sys.path.insert(0, os.getcwd())
    sys.stdout = sys.__stdout__ = stream(1, "backslashreplace")
    sys.stderr = sys.__stderr__ = stream(2, "backslashreplace")
    serve(kernel(), code, word)
