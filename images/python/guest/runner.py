"""The waiting interpreter: read the code from standard input to its end, then be its `__main__`.

One byte on descriptor 3 says that it waits. Where somebody waits for it (`now`) it prepares nothing.
"""

import io
import linecache
import os
import sys
import types

NAME = "main.py"


def stream(descriptor, errors):
    """Return a text stream that is seen line by line, and loses nothing where the pipe takes only a part.

    An unbuffered one (`-u`) does lose it: gVisor cuts writes short when the reader is slow.
    """
    raw = io.FileIO(descriptor, "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", errors, line_buffering=True)


def wait_for_code():
    """Return the code as the text that was analysed, and leave an empty standard input.

    Bytes would be decoded again, by whatever encoding a comment in them declares.
    """
    os.write(3, b".")
    os.close(3)
    with open(0, "rb", buffering=0, closefd=False) as stdin:
        code = stdin.read()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return code.decode("utf-8-sig")


def main_module(code):
    """Return an empty main module; tracebacks find the code's lines."""
    lines = io.StringIO(code).readlines()
    linecache.cache[NAME] = (len(code), None, lines, NAME)
    main = types.ModuleType("__main__")
    main.__file__ = NAME
    main.__builtins__ = __builtins__
    return main


def become(code):
    """Run the code as the main module; its tracebacks begin at its own frames."""
    main = sys.modules["__main__"] = main_module(code)
    try:
        exec(compile(code, NAME, "exec", dont_inherit=True), main.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        own = error.__traceback__.tb_next
        sys.excepthook(type(error), error.with_traceback(own), own)
        sys.exit(130 if isinstance(error, KeyboardInterrupt) else 1)


def rehearse():
    """Do once what every run does first, into nothing: its pages are then in memory."""
    import traceback  # noqa: F401, PLC0415  the first traceback of a run need not wait for it

    code = "import sys\ndef f(x=1):\n    return [x for x in (x, 'a')]\nprint(f(), file=out)\n"
    main = main_module(code)
    nothing = os.open(os.devnull, os.O_WRONLY)
    main.out = stream(nothing, "strict")
    exec(compile(code, NAME, "exec", dont_inherit=True), main.__dict__)
    os.close(nothing)
    linecache.cache.clear()


waited_for = sys.argv[1:] == ["now"]
sys.argv = [NAME]
sys.path.insert(0, os.getcwd())
sys.stdout = sys.__stdout__ = stream(1, "strict")
sys.stderr = sys.__stderr__ = stream(2, "backslashreplace")
if not waited_for:
    rehearse()
become(wait_for_code())
