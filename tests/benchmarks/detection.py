"""What the analysis says about the labelled samples of a language, as the shares that are asked for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import mean

from engine.analysis import analyse
from engine.models import Analysis, Certainty, EffectKind, Language, Level, Verdict
from tests.benchmarks.corpora import Sample, samples
from tests.benchmarks.named_hosts import decoded_texts, named_hosts

_NONE = -1
GRAVE = frozenset(
    {
        "malware", "escape_gadget", "reverse_shell", "exec_eval", "exfil_upload", "persistence",
        "deserialization", "kernel_surface", "obfuscation", "obfuscation_write", "net_download",
        "defense_evasion", "secrets_env",
    }
)  # fmt: skip
"""The categories of which an honest program hardly ever has one."""


@dataclass(frozen=True)
class Measure:
    """One line of the table: what is measured of a language, and what is asked."""

    name: str
    value: float | None
    """None where there are no such samples."""
    asked: float | None
    unit: str = "%"
    at_most: bool = False

    @property
    def target(self) -> str:
        """What is asked, as people read it."""
        return "" if self.asked is None else f"{'<=' if self.at_most else '>='} {self.asked:g}"

    @property
    def passed(self) -> bool | None:
        """Whether what is asked is reached; None where nothing is asked or measured."""
        if self.value is None or self.asked is None:
            return None
        return self.value <= self.asked if self.at_most else self.value >= self.asked


class Verdicts:
    """The analyses of all samples of a language."""

    def __init__(self, cases: Sequence[Sample]) -> None:
        self.cases = cases
        self.levels: dict[str, int] = {}
        self.harmless: set[str] = set()
        self.hosts: dict[str, dict[str, bool]] = {}
        for case in cases:
            self._note(case, analyse(case.code, case.language))

    def _note(self, case: Sample, analysis: Analysis) -> None:
        ranks = (violation.severity.rank for violation in analysis.violations)
        self.levels[case.id] = max(ranks, default=_NONE)
        if analysis.verdict is Verdict.HARMLESS:
            self.harmless.add(case.id)
        self.hosts[case.id] = {
            effect.value.text.lower(): effect.certainty is Certainty.EXACT
            for effect in analysis.effects
            if effect.kind is EffectKind.HOST
        }

    def flagged(self, case: Sample, level: Level = Level.MEDIUM) -> bool:
        """Whether a sample has a violation of at least `level`."""
        return self.levels[case.id] >= level.rank

    def at_least(self, cases: Iterable[Sample], level: Level) -> float | None:
        """Return the share of `cases` with a violation of at least `level`, in percent."""
        return share(self.flagged(case, level) for case in cases)


@cache
def verdicts(language: Language, root: Path) -> Verdicts:
    """Return the analyses of all samples of a language, made once."""
    return Verdicts(samples(root, language))


def share(flags: Iterable[bool]) -> float | None:
    """Return the share of true values, in percent; None where there are no values."""
    values = list(flags)
    return 100 * mean(values) if values else None


def by_cluster(cases: Iterable[Sample], flagged: Callable[[Sample], bool]) -> float | None:
    """Return the mean over near-duplicate clusters of the share that is flagged, in percent."""
    clusters: dict[str, list[bool]] = defaultdict(list)
    for case in cases:
        clusters[case.cluster].append(flagged(case))
    return 100 * mean(mean(flags) for flags in clusters.values()) if clusters else None


def of(cases: Sequence[Sample], tier: str, category: str = "") -> list[Sample]:
    """Return the samples of a tier, and of a category where one is named."""
    return [case for case in cases if case.tier == tier and category in ("", case.category)]


_GRAVE = {Language.PYTHON: 90.0, Language.JAVASCRIPT: 80.0, Language.SHELL: 85.0}
_CORE = {Language.PYTHON: 93.0, Language.JAVASCRIPT: 85.0, Language.SHELL: 90.0}
_PROVEN = {Language.PYTHON: 60.0, Language.JAVASCRIPT: 50.0, Language.SHELL: 40.0}


def measures(found: Verdicts, language: Language) -> Iterator[Measure]:
    """Yield every line of the table for a language."""
    core, plain = of(found.cases, "core"), of(found.cases, "plain")
    capable = of(found.cases, "capability")
    grave = [case for case in core if case.category in GRAVE]
    proven = share(case.id in found.harmless for case in plain)
    yield Measure("plain proven harmless", proven, _PROVEN[language])
    yield Measure("grave classes HIGH+", found.at_least(grave, Level.HIGH), _GRAVE[language])
    yield Measure("risky core MEDIUM+", found.at_least(core, Level.MEDIUM), _CORE[language])
    yield Measure("risky core called harmless", _harmless(found, core), 0.0, "samples", at_most=True)
    yield Measure("plain MEDIUM+", found.at_least(plain, Level.MEDIUM), 1.0, at_most=True)
    for level, asked in ((Level.MEDIUM, 30.0), (Level.HIGH, 3.0), (Level.CRITICAL, 0.3)):
        name = f"capability {level.value.upper()}" + ("" if level is Level.CRITICAL else "+")
        yield Measure(name, found.at_least(capable, level), asked, at_most=True)
    yield Measure("AUC of the worst severity", auc(found, core, [*plain, *capable]), 0.96, "")
    yield from _hosts(found, [*core, *capable])


def _harmless(found: Verdicts, cases: Sequence[Sample]) -> float:
    return float(sum(case.id in found.harmless for case in cases))


def auc(found: Verdicts, risky: Sequence[Sample], benign: Sequence[Sample]) -> float | None:
    """Return the chance that a risky sample has a worse violation than a benign one; ties count half."""
    if not risky or not benign:
        return None
    worse, better = (Counter(found.levels[case.id] for case in cases) for cases in (risky, benign))
    wins = sum(
        many * few * (1.0 if bad > good else 0.5)
        for bad, many in worse.items()
        for good, few in better.items()
        if bad >= good
    )
    return wins / (len(risky) * len(benign))


def _hosts(found: Verdicts, cases: Sequence[Sample]) -> Iterator[Measure]:
    """Compare the hosts predicted with those that the URLs in the code's own texts name."""
    named = {case.id: named_hosts(case) for case in cases if found.hosts[case.id]}
    seen = [host in found.hosts[key] for key, hosts in named.items() for host in hosts]
    exact = [
        (host, case.code.lower() + decoded_texts(case), host in named[case.id])
        for case in cases
        for host, sure in found.hosts[case.id].items()
        if sure
    ]
    wrong = [host for host, code, known in exact if not known and host not in code]
    yield Measure("hosts found", share(seen), 90.0)
    yield Measure("hosts right", share(host in code for host, code, _ in exact), 95.0)
    yield Measure("hosts wrong, called exact", float(len(wrong)), 0.0, "hosts", at_most=True)


def matrix(found: Mapping[Language, Verdicts]) -> Iterator[str]:
    """Yield the table of all languages: what is measured, what is asked, and NO where it is missed."""
    columns = [list(measures(one, language)) for language, one in found.items()]
    yield ""
    yield f"{'':28}" + "".join(f"{language:>26}" for language in found)
    for row in zip(*columns, strict=True):
        yield f"{row[0].name:28}" + "".join(f"{_shown(one):>26}" for one in row)


def _shown(one: Measure) -> str:
    if one.value is None:
        return "-"
    value = (
        f"{one.value:.3f}" if one.unit == "" else f"{one.value:.1f}" if one.unit == "%" else f"{one.value:g}"
    )
    return f"{value} ({one.target}){' NO' if one.passed is False else '   '}"
