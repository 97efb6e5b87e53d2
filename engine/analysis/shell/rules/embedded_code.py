"""Analyses code within shell: `sh -c`, here-documents, pipes and `python -c`, in its own language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from engine.analysis.embedded import Place, analyse_embedded, at, from_point
from engine.analysis.raw_analysis import RawAnalysis
from engine.analysis.shell.declare import HIGH, MEDIUM, found, rule
from engine.analysis.shell.flow import OTHERS, SHELLS, decoded_layers, given, is_interpreter, language_of
from engine.analysis.shell.model import Arg, Command, Script
from engine.analysis.shell.rules.nested_commands import PlacedCommand, placed_commands
from engine.analysis.shell.values import MAX_TEXT, UNKNOWN
from engine.analysis.shell.wrappers import code_texts, may_run_another, reads_code
from engine.analysis.shell.wrappers.passed import passed_code
from engine.analysis.shell.written_files import programs
from engine.models import Language

FOREIGN = rule(
    "sh-foreign-script",
    "Runs a script in a language that is not analysed",
    "process",
    MEDIUM,
    attack="Does in Perl, Ruby or PHP what a reviewer would notice in shell.",
    why=(
        "MEDIUM: only the commands it starts and the files it deletes are analysed; HIGH where "
        "it deletes or connects."
    ),
    fix="Write it in shell, Python or JavaScript.",
    match=(
        "perl -e 'system(\"ls\")'",
        "ruby -e \"require 'fileutils'; FileUtils.rm_rf('/home/user')\"",
        "php -r 'exec(\"id\");'",
        "osascript -e 'do shell script \"id\"'",
    ),
    not_match=(
        "perl -pe 's/a/b/' x",
        "ruby -v",
        "php -v",
        "awk '{print $1}' a",
    ),
    cwe=78,
)

_CALLS = re.compile(
    r"(?:system|exec|shell_exec|passthru|popen|proc_open|spawn|os\.execute|Open3\.\w+|IO\.popen|%x|qx"
    r"|do shell script|do script|\.shell|getstatus|\|(?=\s*\"))"
    r"\s*[({\s]*\s*\\?([\"'])(?P<code>(?:(?!\1).){1,2000})\\?\1|`(?P<tick>[^`]{1,2000})`"
    r"|(?:qw|qx|%x)\s*[({\[](?P<list>[^)}\]]{1,2000})[)}\]]|\"(?P<piped>[^\"]{1,2000})\"\s*\|&?\s*getline",
    re.DOTALL,
)
_HARM = re.compile(
    r"rm_rf|rm_r\b|unlink|File\.delete|Dir\.rmdir|rmtree|remove_tree|fsockopen|TCPSocket|IO::Socket"
    r"|use\s+Socket|LWP::|Net::HTTP|open-uri"
    r"|file_get_contents\s*\(\s*['\"]https?|eval\s*\(|instance_eval|base64_decode|decode_base64"
    r"|unpack\(?['\"]|decode64|administrator privileges"
)
_STRINGS = {"-e": "perl ruby lua osascript Rscript tclsh groovy guile julia", "-r": "php", "-E": "perl"}
_EDITORS = {
    "vim",
    "vi",
    "nvim",
    "view",
    "ex",
    "ed",
    "less",
    "more",
    "man",
    "gdb",
    "ftp",
    "mysql",
    "psql",
    "git",
}
"""Programs in which a `!` starts a shell."""
_SCRIPTED = re.compile(r"(?:\+|-c|-ex)?\s*:?(?:py3?|pyx|python3?)\s+(?=\S)(.+)", re.DOTALL)
_LUA = re.compile(r":?\blua\b.*os\.execute\(([\"'])(.+?)\1")
_WORD = re.compile(r"\w")
_ESCAPED = re.compile(
    r"(?:\+|-c|-ex|alias\.\w+=)?\s*:?(?:sil(?:ent)?!?\s+)?(?:%|\.)?(?:\\)?!(.+)"
    r"|(?:\+|-c)?\s*:?(?:call|echo|let\s+\w+\s*=)\s+system(?:list)?\(([\"'])(.+?)\2",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class EmbeddedCode:
    """Text that is run as code."""

    text: str
    language: Language
    layer: str
    place: Place


def check(script: Script) -> RawAnalysis:
    """Return what the code within the script does, and that other languages are run."""
    findings = RawAnalysis()
    for command in script.commands:
        if command.own:
            continue
        for code in _codes(script, command):
            if code.text.strip(UNKNOWN + " \n\t"):
                findings.add(_analysed(script, code, decoded_layers(command)))
        foreign = _foreign(command)
        if foreign:
            findings.add(_read_foreign(script, command, foreign))
    for one in placed_commands(script):
        if _WORD.search(one.command.text):
            findings.add(_analysed(script, _carried(script, one), ()))
    for command, text, language in programs(script):
        findings.add(_analysed(script, EmbeddedCode(text, language, "file", at(command.span)), ()))
    return findings


def _analysed(script: Script, code: EmbeddedCode, decoders: tuple[str, ...]) -> RawAnalysis:
    text = code.text.replace(UNKNOWN, "_")
    layers = " -> ".join((*reversed(decoders), code.layer))
    return analyse_embedded(
        text, code.language, script.settings, script.depth, place=code.place, layer=layers
    )


def _carried(script: Script, one: PlacedCommand) -> EmbeddedCode:
    arg = one.command.arg
    whole = arg is not None and arg.text == one.command.text
    place = _place(script, arg) if arg is not None and whole else at(one.span)
    return EmbeddedCode(one.command.text, Language.SHELL, one.command.layer, place)


def _codes(script: Script, command: Command) -> Iterator[EmbeddedCode]:
    if command.name == "eval":
        args = command.args[1:] if command.words[:1] == ["--"] else command.args
        text = " ".join(arg.text for arg in args)
        place = _place(script, args[0]) if len(args) == 1 else at(command.span)
        if command.args:
            yield EmbeddedCode(text, Language.SHELL, "eval", place)
        return
    language = Language.SHELL if command.name in SHELLS else _language(command.name)
    if language is not None:
        yield from _interpreted(script, command, language)
    elif command.name in _EDITORS:
        yield from _escaped(script, command)
    yield from _wrapped(script, command)
    if command.name in {".", "source"} and command.feed is not None:
        yield EmbeddedCode(command.feed.text, Language.SHELL, command.name, at(command.span))


def _escaped(script: Script, command: Command) -> Iterator[EmbeddedCode]:
    """Commands, and Python, that an editor or a viewer is asked to run."""
    for arg in command.args:
        place = at(script.tree.span_of(arg.start, arg.end))
        if match := _ESCAPED.match(arg.text):
            yield EmbeddedCode(match[1] or match[3], Language.SHELL, command.name, place)
        elif match := _SCRIPTED.match(arg.text):
            yield EmbeddedCode(match[1], Language.PYTHON, command.name, place)
        elif match := _LUA.search(arg.text[:2000]):
            yield EmbeddedCode(match[2], Language.SHELL, command.name, place)


def _language(name: str) -> Language | None:
    found = language_of(name)
    return Language(found) if found else None


def _interpreted(script: Script, command: Command, language: Language) -> Iterator[EmbeddedCode]:
    flag = r"-\w*c" if language is not Language.JAVASCRIPT else r"-e|-p|-pe|--eval|--print|eval"
    option = next((i for i, word in enumerate(command.words) if re.fullmatch(flag, word)), None)
    if option is None:
        glued = next(
            (a for a in command.args if re.match(r"-c.", a.text) and language is Language.PYTHON), None
        )
        if glued is not None:
            yield EmbeddedCode(glued.text[2:], language, f"{command.name} -c", at(command.span))
            return
    if option is not None and option + 1 < len(command.args):
        arg = command.args[option + 1]
        text = arg.text
        if "xargs" in command.wrappers and "{}" in text:
            text = _filled(text, given(command).strip())
        yield EmbeddedCode(text, language, f"{command.name} {command.words[option]}", _place(script, arg))
        return
    if command.operands and not command.has("s") and command.operands[0].text not in {"-", "/dev/stdin"}:
        return
    if command.feed is not None:
        arg = Arg(command.feed.text, command.feed.start, command.feed.end, literal=command.feed.literal)
        yield EmbeddedCode(command.feed.text, language, f"{command.name} <<", _place(script, arg))
    elif command.upstream:
        text = given(command)
        if text != UNKNOWN:
            yield EmbeddedCode(text, language, f"| {command.name}", at(command.span))


def _filled(text: str, value: str) -> str:
    """Return `text` with what xargs puts into it, unless that is very long."""
    return text.replace("{}", value) if text.count("{}") * len(value) <= MAX_TEXT else text


def _wrapped(script: Script, command: Command) -> Iterator[EmbeddedCode]:
    """Code that a program such as `ssh`, `su` or `flock` gives to a shell."""
    fields = [command.program, *command.args] if may_run_another(command.program) else []
    for text, arg in chain(code_texts(fields) if fields else (), passed_code(command)):
        place = _place(script, arg) if arg is not None else at(command.span)
        yield EmbeddedCode(text, Language.SHELL, command.name, place)
    if fields and (command.feed is not None or command.upstream) and reads_code(fields):
        yield EmbeddedCode(given(command), Language.SHELL, f"{command.name} <<", at(command.span))


def _place(script: Script, arg: Arg) -> Place:
    if arg.literal and "\r" not in arg.text:
        return from_point(*script.tree.lines.point(script.tree.character(arg.start)))
    return at(script.tree.span_of(arg.start, arg.end))


def _foreign(command: Command) -> str:
    """Return the text of a script in another language that is given on the command line or the input."""
    if command.name not in OTHERS:
        return ""
    if command.name in {"awk", "gawk", "mawk"}:
        text = " ".join(command.words)
        return text if re.search(r"\bsystem\s*\(|\|\s*getline|\|\s*\"|/inet/", text) else ""
    texts = [
        arg.text
        for option, names in _STRINGS.items()
        if command.name in names.split()
        for index, arg in enumerate(command.args)
        if index and re.fullmatch(rf"-\w*{option[1]}", command.words[index - 1])
    ]
    glued = [
        arg.text[2:]
        for arg in command.args
        if re.match(r"-e.", arg.text) and command.name in {"perl", "ruby"}
    ]
    if command.feed is not None and not command.operands:
        texts.append(command.feed.text)
    if command.upstream and not command.args and is_interpreter(command.name):
        texts.append(given(command))
    return "\n".join(texts + [text for text in glued if len(text) > 3])


def _read_foreign(script: Script, command: Command, text: str) -> RawAnalysis:
    findings = RawAnalysis()
    calls = [match[match.lastgroup or "code"] or "" for match in _CALLS.finditer(text)][:8]
    if _HARM.search(text):
        findings.violations.append(found(FOREIGN, command, severity=HIGH))
    elif calls or re.search(r"\b(?:exec|system|eval|spawn|fork|require|popen|getline)\b|`", text):
        findings.violations.append(found(FOREIGN, command))
    for call in calls:
        inner = EmbeddedCode(call.replace('\\"', '"'), Language.SHELL, command.name, at(command.span))
        findings.add(_analysed(script, inner, ()))
    return findings
