"""Shortens the sleeps of a rehearsal, and lets the clocks that its code reads agree with that.

It is executed in the guest before the code is read, with `MOST`: how many seconds may be left out.
"""

import _thread
import _warnings
import posix
import sys
import time

SHORT = 0.1
"""What is not longer is waited for."""
PATIENCE = 1.0
"""How long is waited for what others may yet do: threads, children, hosts."""
CLOCKS = frozenset({0, 1, 4, 5, 6, 7})
"""REALTIME, MONOTONIC, MONOTONIC_RAW, both COARSE ones and BOOTTIME."""
UTC_WARNING = (
    "datetime.datetime.utcnow() is deprecated and scheduled for removal in a future version. "
    "Use timezone-aware objects to represent datetimes in UTC: datetime.datetime.now(datetime.UTC)."
)
skipped = 0.0


def alone():
    """Return whether nobody but this thread does anything."""
    if _thread._count():
        return False
    try:
        posix.waitid(posix.P_ALL, 0, posix.WEXITED | posix.WNOWAIT | posix.WNOHANG)
    except OSError:
        return True
    return False


def to_wait(seconds, idle):
    """Return how much of a sleep is waited for."""
    least = min(seconds, SHORT / 2 if idle else PATIENCE)
    return max(least, seconds - (MOST - skipped))


def skip(seconds):
    """Let all clocks go on."""
    global skipped
    skipped += seconds


def like(known):
    """Give a function the name and the words of another."""

    def named(function):
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(function, name, getattr(known, name, None))
        return function

    return named


def shortened_sleep(known):
    """Return `time.sleep`, shortened."""

    @like(known)
    def sleep(seconds, /):
        if type(seconds) not in (int, float) or not SHORT < seconds < 1e9:
            return known(seconds)
        real = to_wait(seconds, alone())
        known(real)
        return skip(seconds - real)

    return sleep


def advanced(known, unit):
    """Return a clock that goes on by what was left out."""

    @like(known)
    def clock():
        return known() + (int(skipped * unit) if unit > 1 else skipped)

    return clock


def advanced_by_id(known, unit):
    """Return `time.clock_gettime` or its kin."""

    @like(known)
    def clock(number, /):
        more = skipped if number in CLOCKS else 0
        return known(number) + (int(more * unit) if unit > 1 else more)

    return clock


def of_now(known, place):
    """Return a function of a time that is left out where it is now."""

    @like(known)
    def of_time(*given):
        missing = len(given) == place or (
            len(given) == place + 1 and given[place] is None and known in CLOCK_WORDS
        )
        return known(*given[:place], now_for(known)) if missing and skipped else known(*given)

    return of_time


def change_clocks():
    """Change the module `time`."""
    for name in ("time", "monotonic", "perf_counter"):
        setattr(time, name, advanced(getattr(time, name), 1))
        setattr(time, f"{name}_ns", advanced(getattr(time, f"{name}_ns"), 1_000_000_000))
    time.clock_gettime = advanced_by_id(time.clock_gettime, 1)
    time.clock_gettime_ns = advanced_by_id(time.clock_gettime_ns, 1_000_000_000)
    for name, place in (("localtime", 0), ("gmtime", 0), ("ctime", 0), ("asctime", 0), ("strftime", 1)):
        setattr(time, name, of_now(getattr(time, name), place))
    time.sleep = shortened_sleep(time.sleep)


CLOCK_WORDS = (time.localtime, time.gmtime, time.ctime)
"""They take seconds, the others a broken-down time."""
broken_down = time.localtime


def now_for(known):
    """Return the argument that stands for now."""
    return time.time() if known in CLOCK_WORDS else broken_down(time.time())


# --- modules that are changed once they are imported


def change_threading(module):
    """Shorten waits of a thread that nobody ends earlier."""
    known = module.Condition.wait

    @like(known)
    def wait(self, timeout=None):
        if timeout is None or not SHORT < timeout < 1e9:
            return known(self, timeout)
        real = to_wait(timeout, alone())
        if known(self, real):
            return True
        skip(timeout - real)
        return False

    module.Condition.wait = wait


def change_selectors(module):
    """Shorten waits of an event loop where nothing comes."""
    known = module.EpollSelector.select

    @like(known)
    def select(self, timeout=None):
        if timeout is None or not SHORT < timeout < 1e9:
            return known(self, timeout)
        real = to_wait(timeout, len(self._fd_to_key) <= 1 and alone())
        ready = known(self, real)
        if not ready:
            skip(timeout - real)
        return ready

    module.EpollSelector.select = select


class Attributes:
    """Is compared with the attributes of a type, to have them."""

    __hash__ = None

    def __eq__(self, other):
        self.found = other
        return True


def change_datetime(module):
    """Let `datetime.now` agree; `today` asks `time.time`."""
    attributes = Attributes()
    if module.datetime.__dict__ != attributes:
        return
    for name, said in (("now", ""), ("utcnow", UTC_WARNING)):
        attributes.found[name] = classmethod(advanced_date(attributes.found[name], module.timedelta, said))


def advanced_date(known, timedelta, said):
    """Return a way to make the present date; it says what the known one says to its own caller."""

    @like(known)
    def now(cls, *given, **named):
        if said:
            _warnings.warn(said, DeprecationWarning, 2)
        date = known.__get__(None, cls)(*given, **named)
        return date + timedelta(seconds=skipped) if skipped else date

    return now


CHANGES = {"threading": change_threading, "selectors": change_selectors, "datetime": change_datetime}


def change_imports():
    """Change a module once it was imported."""
    loader = sys.modules["_frozen_importlib_external"]._LoaderBasics
    known = loader.exec_module

    @like(known)
    def exec_module(self, module):
        known(self, module)
        if change := CHANGES.pop(module.__name__, None):
            change(module)

    loader.exec_module = exec_module


change_clocks()
change_imports()
for name in set(CHANGES) & set(sys.modules):
    CHANGES.pop(name)(sys.modules[name])
