"""Removes programs that run other programs, such as `sudo` and `env`, from a command."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.analysis.shell.model import Arg


@dataclass(frozen=True, slots=True)
class _Wrapper:
    valued: frozenset[str] = frozenset()
    """Options that take the next word as their value."""
    skip: int = 0
    """Operands that come before the command."""


def _w(valued: str = "", skip: int = 0) -> _Wrapper:
    return _Wrapper(frozenset(valued.split()), skip)


_PLAIN = (
    "nohup setsid command builtin busybox toybox time eatmydata caffeinate torsocks tsocks torify coproc "
    "linux32 linux64 fakeroot fakechroot xvfb-run dbus-launch chronic ssh-agent "
    "unbuffer catchsegv ltrace pkexec firejail faketime dbus-run-session nocorrect noglob rlwrap"
)
_WRAPPERS = {
    **{name: _w() for name in _PLAIN.split()},
    "sudo": _w("-u -g -h -p -C -T -r -t -D -R -U --user --group --host --prompt --chdir"),
    "doas": _w("-u -C"),
    "env": _w("-u -C --unset --chdir"),
    "numactl": _w("-N -m -C"),
    "prlimit": _w("-p --pid"),
    "setarch": _w(skip=1),
    "logsave": _w(skip=1),
    "sshpass": _w("-p -f -d"),
    "setpriv": _w("--reuid --regid --groups"),
    "exec": _w("-a"),
    "nice": _w("-n --adjustment"),
    "ionice": _w("-c -n -p --class --classdata"),
    "timeout": _w("-k -s --signal --kill-after", skip=1),
    "gtimeout": _w("-k -s --signal --kill-after", skip=1),
    "stdbuf": _w("-i -o -e"),
    "chroot": _w(skip=1),
    "xargs": _w("-I -n -P -L -d -E -s -a --max-args --max-procs --replace --delimiter --arg-file"),
    "parallel": _w("-j --jobs -a --arg-file -I"),
    "watch": _w("-n --interval"),
    "strace": _w("-e -o -p -s"),
    "unshare": _w(),
    "nsenter": _w("-t --target"),
    "proxychains": _w("-f"),
    "proxychains4": _w("-f"),
    "flock": _w("-w -E --timeout", skip=1),
    "taskset": _w(skip=1),
    "chrt": _w(skip=1),
    "cpulimit": _w("-l -p -e"),
    "runuser": _w("-u -g"),
    "gosu": _w(skip=1),
    "su-exec": _w(skip=1),
    "ld.so": _w("--library-path --preload --audit --argv0 --inhibit-rpath"),
    "systemd-run": _w("-p -u --unit --property --uid --on-calendar"),
    "systemd-inhibit": _w("--what --who --why --mode"),
}


_LOADER = re.compile(r"ld(?:-linux[\w-]*|-musl[\w-]*|64)?\.so(?:\.\d+)*")
"""The dynamic loader runs the program that it is given (ld.so(8))."""


def basename(text: str) -> str:
    """Return the name of a program without its folder."""
    return text.rsplit("/", 1)[-1] if "/" in text else text


def unwrap(fields: list[Arg]) -> tuple[tuple[str, ...], list[Arg]]:
    """Return the wrappers in front of a command, and the fields of the command itself."""
    found: list[str] = []
    while fields:
        name = _LOADER.sub("ld.so", basename(fields[0].text))
        wrapper = _WRAPPERS.get(name)
        rest = _inner(name, wrapper, fields) if wrapper else []
        if not rest or len(found) > 8:
            break
        found.append(name)
        fields = rest
    return tuple(found), fields


def _inner(name: str, wrapper: _Wrapper, fields: list[Arg]) -> list[Arg]:
    """Return the fields after the wrapper's own, or nothing where it runs no command."""
    at, skip = 1, wrapper.skip
    while at < len(fields):
        text = fields[at].text
        if text == "--":
            return fields[at + 1 :]
        if name == "env" and text in {"-S", "--split-string"} and at + 1 < len(fields):
            return [*_split(fields[at + 1]), *fields[at + 2 :]]
        if name == "command" and text in {"-v", "-V"}:
            return []
        if text.startswith(("-", "+")) and len(text) > 1:
            at += 2 if text in wrapper.valued else 1
        elif _is_assignment(text) and name in {"env", "sudo", "doas"}:
            at += 1
        elif skip:
            skip -= 1
            at += 1
        else:
            return [] if name == "watch" and at == len(fields) - 1 and " " in text else fields[at:]
    return []


def _split(field: Arg) -> list[Arg]:
    return [Arg(word, field.start, field.end, field.taints, field.origin) for word in field.text.split()]


def _is_assignment(text: str) -> bool:
    name, equals, _ = text.partition("=")
    return bool(equals) and name.isidentifier()


def assigned(fields: list[Arg]) -> tuple[tuple[str, str], ...]:
    """Return the variables that a wrapper is given: `env A=b`."""
    pairs = (field.text.partition("=") for field in fields if _is_assignment(field.text))
    return tuple((name, value) for name, _, value in pairs)
