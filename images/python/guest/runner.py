"""The waiting interpreter: read the code from standard input to its end, then be its `__main__`.

One byte on descriptor 3 says that it waits. Where somebody waits for it (`now`) it prepares nothing.
"""

import io
import linecache
import os
import stat
import sys
import types

NAME = "main.py"
MARKS, STACK = 4, 5
"""The descriptors on which the supervisor is told which lines ran, and where the program is."""
FREE = 900
"""A descriptor that no program comes upon."""
ASKED = 23
"""SIGURG asks for the stack: it does nothing in a program that was started in this one's place."""
MOST_LINES, MOST_BLOCKS = 5000, 5000
MOST_HITS = 100
"""A line that ran so often is not counted further, so that it runs as fast as ever."""
MOST_RAISED = 1000
TOOL = 4


class LineMarks:
    """Counts in memory that the supervisor sees how often each line of the code ran, and raised."""

    def __init__(self):
        import faulthandler  # noqa: PLC0415  only where lines are marked
        import mmap  # noqa: PLC0415

        size = os.fstat(MARKS).st_size
        self.table = memoryview(mmap.mmap(MARKS, size, trackfd=False)).cast("I")
        os.close(MARKS)
        os.dup2(STACK, FREE, inheritable=False)
        os.close(STACK)
        faulthandler.register(ASKED, file=FREE, all_threads=True)
        sys.monitoring.use_tool_id(TOOL, "pratique")

    def follow(self, block, lines):
        """Mark the lines of a compiled module from now on."""
        last = min(lines, MOST_LINES)
        self.table[0] = last
        self.count_hits(block, last)
        self.count_raised(last)

    def count_hits(self, block, last):
        """Count how often each line runs, in the module and in all that is defined in it."""
        table, disable = self.table, sys.monitoring.DISABLE

        def ran(block, line):
            if line > last:
                return disable
            try:
                count = table[line] = table[line] + 1
            except Exception:  # the code has done something to the table
                return disable
            return disable if count >= MOST_HITS else None

        event = sys.monitoring.events.LINE
        sys.monitoring.register_callback(TOOL, event, ran)
        for inner in blocks_of(block):
            sys.monitoring.set_local_events(TOOL, inner, event)

    def count_raised(self, last):
        """Count how often each line raises, a number of times in all."""
        table, seen = self.table, 0

        def raised(block, offset, error):
            nonlocal seen
            seen += 1
            trace = error.__traceback__
            try:
                if seen >= MOST_RAISED:
                    sys.monitoring.set_events(TOOL, 0)
                if block.co_filename == NAME and (trace is None or trace.tb_next is None):
                    line = line_at(block, offset)
                    table[last + line] += 0 < line <= last
            except Exception:  # noqa: S110  the code has done something to the table
                pass

        event = sys.monitoring.events.RAISE
        sys.monitoring.register_callback(TOOL, event, raised)
        sys.monitoring.set_events(TOOL, event)


def line_at(block, offset):
    """Return the line of an instruction; 0 where it has none."""
    found = (line for start, end, line in block.co_lines() if start <= offset < end)
    return next(found, 0) or 0


def blocks_of(block):
    """Return a compiled module and all that is defined in it."""
    found = [block]
    for outer in found:
        found += [inner for inner in outer.co_consts if isinstance(inner, types.CodeType)]
        if len(found) > MOST_BLOCKS:
            break
    return found


def line_marks():
    """Return what marks lines where the supervisor wants them marked, else None."""
    try:
        wanted = stat.S_ISREG(os.fstat(MARKS).st_mode) and stat.S_ISREG(os.fstat(STACK).st_mode)
        return LineMarks() if wanted else None
    except OSError:
        return None


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


def become(code, marks):
    """Run the code as the main module; its tracebacks begin at its own frames."""
    main = sys.modules["__main__"] = main_module(code)
    try:
        block = compile(code, NAME, "exec", dont_inherit=True)
        if marks:
            marks.follow(block, code.count("\n") + 1)
        exec(block, main.__dict__)
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


def rehearse_marks(marks):
    """Mark the lines of something short, and forget them."""
    block = compile(
        "def f():\n    raise ValueError\ntry:\n    f()\nexcept ValueError:\n    pass\n", NAME, "exec"
    )
    marks.follow(block, 6)
    exec(block, {})
    sys.monitoring.set_events(TOOL, 0)
    marks.table[:16] = memoryview(bytes(64)).cast("I")


waited_for = sys.argv[1:] == ["now"]
sys.argv = [NAME]
sys.path.insert(0, os.getcwd())
sys.stdout = sys.__stdout__ = stream(1, "strict")
sys.stderr = sys.__stderr__ = stream(2, "backslashreplace")
marks = line_marks()
if not waited_for:
    rehearse()
    if marks:
        rehearse_marks(marks)
become(wait_for_code(), marks)
