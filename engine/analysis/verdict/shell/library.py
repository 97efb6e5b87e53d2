"""The commands that the proof knows: with any arguments, or with the options listed here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Program:
    """A program, and the options with which it only reads its input and writes its output."""

    flags: frozenset[str]
    """Options without a value: letters, and names without their dashes."""
    valued: frozenset[str]
    """Options with a value, which may be anything."""
    files: bool = True
    """Whether its operands are files, so that only `-`, the input, may be given."""
    ordered: bool = False
    """Whether what follows its first operand is no option."""


def _p(text: str, *, files: bool = True, ordered: bool = False) -> Program:
    words = text.split()
    letters = [letter for word in words if word[0] == "+" for letter in word[1:]]
    names = [word for word in words if word[0] != "+" and word[-1] != ":"]
    return Program(
        frozenset(letters + names), frozenset(word[:-1] for word in words if word[-1] == ":"), files, ordered
    )


FREE = frozenset({
    ":", "true", "false", "echo", "seq", "basename", "dirname", "expr", "sleep", "yes", "factor", "tr",
    "numfmt", "exit", "return", "break", "continue",
})  # fmt: skip
"""Commands that only compute and print, whatever their arguments are."""
_SUM = _p("+btz tag zero binary text")
PROGRAMS = {
    "cat": _p("+AbeEnstTuv show-all number number-nonblank squeeze-blank show-ends show-tabs"),
    "head": _p("+qvz0123456789 n: c: lines: bytes: quiet verbose"),
    "tail": _p("+qvz0123456789 n: c: lines: bytes: quiet verbose"),
    "sort": _p(
        "+bdfgihnMRrVcCmsuz k: t: key: field-separator: numeric-sort reverse unique ignore-case version-sort "
        "human-numeric-sort general-numeric-sort stable ignore-leading-blanks month-sort zero-terminated"
    ),
    "uniq": _p("+cdDiuz f: s: w: count repeated unique ignore-case skip-fields: skip-chars: check-chars:"),
    "wc": _p("+clmwL lines words bytes chars max-line-length"),
    "cut": _p("+snz f: d: c: b: fields: delimiter: characters: bytes: output-delimiter: complement "
              "only-delimited"),
    "rev": _p(""),
    "tac": _p("+br s: separator: before regex"),
    "nl": _p("+p b: d: f: h: i: l: n: s: v: w:"),
    "fold": _p("+bs0123456789 w: width: spaces bytes"),
    "fmt": _p("+cstu0123456789 w: width:"),
    "paste": _p("+sz d: serial delimiters:"),
    "expand": _p("+i t: tabs: initial"),
    "unexpand": _p("+a t: tabs: all"),
    "tee": _p(""),
    "base64": _p("+di w: decode ignore-garbage wrap:"),
    "base32": _p("+di w: decode ignore-garbage wrap:"),
    "od": _p("+abcdfiloxsv A: N: t: j: address-radix: read-bytes: format:"),
    "cksum": _p(""),
    "bc": _p("+lqsw mathlib quiet standard warn"),
    **dict.fromkeys(("md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"), _SUM),
    "shuf": _p("+erz n: i: head-count: input-range: echo repeat"),
    "grep": _p(
        "+EFGPivwxcLlqsobnHhyazT0123456789 e: A: B: C: m: regexp: max-count: after-context: before-context: "
        "context: ignore-case invert-match word-regexp line-regexp count quiet silent only-matching "
        "line-number extended-regexp fixed-strings perl-regexp basic-regexp no-messages text color colour "
        "color=auto color=never color=always"
    , files=False),
    "sed": _p("+nErsuz e: expression: quiet silent regexp-extended separate unbuffered", files=False),
    "awk": _p("F: v:", files=False, ordered=True),
    "date": _p("+uR d: utc universal rfc-email date:", files=False),
}  # fmt: skip
"""Programs of the system, with their options."""
PROGRAMS |= {
    "egrep": PROGRAMS["grep"],
    "fgrep": PROGRAMS["grep"],
    "mawk": PROGRAMS["awk"],
    "gawk": PROGRAMS["awk"],
}
READ = _p("+rs p: d:", files=False, ordered=True)
"""The builtin that reads a line into variables."""
CHECKED = frozenset({"read", "printf", "test", "[", "set", "shift", "local"})
"""Builtins whose arguments are checked one by one."""
COMMANDS = FREE | CHECKED | PROGRAMS.keys()
"""Every command that the proof knows."""
