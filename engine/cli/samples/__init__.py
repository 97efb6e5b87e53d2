"""Five example submissions: one to approve, and four that show what a review finds."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, InputFile, Language, Limits, Permissions

DEFAULT = Limits()


@dataclass(frozen=True)
class Sample:
    """A submission, its requester, and the decision that the demo makes without a terminal."""

    file: str
    language: Language
    requester: str
    purpose: str
    outcome: DecisionOutcome
    reason: str
    inputs: tuple[str, ...] = ()
    limits: Limits = DEFAULT

    @property
    def draft(self) -> Draft:
        """The submission's draft."""
        return Draft(
            code=Untrusted(_read(self.file).decode()),
            language=self.language,
            purpose=Untrusted(self.purpose),
            files=tuple(InputFile(name=Untrusted(name), content=_read(name)) for name in self.inputs),
            permissions=Permissions(limits=self.limits),
        )


def _read(name: str) -> bytes:
    return (files(__name__) / "submissions" / name).read_bytes()


SAMPLES = (
    Sample(
        "sales.py",
        Language.PYTHON,
        "report-writer",
        "Summarise the half-year's sales and draw them.",
        DecisionOutcome.APPROVED,
        "reads its own input file and draws it",
        inputs=("sales.csv",),
        limits=Limits(cpus=1.0, seconds=60),
    ),
    Sample(
        "nosy.py",
        Language.PYTHON,
        "code-helper",
        "Convert a temperature.",
        DecisionOutcome.DENIED,
        "a temperature needs no environment",
    ),
    Sample(
        "injected.sh",
        Language.SHELL,
        "release-notes-bot",
        "Summarise the release notes.",
        DecisionOutcome.DENIED,
        "sends /etc/passwd to a host that nobody asked for",
    ),
    Sample(
        "bomb.py",
        Language.PYTHON,
        "optimizer",
        "Find the best combination.",
        DecisionOutcome.APPROVED,
        "let it hit its limit",
        limits=Limits(memory_mb=256, seconds=20),
    ),
    Sample(
        "trojan.py",
        Language.PYTHON,
        "access-reviewer",
        "Check who may enter.",
        DecisionOutcome.DENIED,
        "its text is not in the order in which it is shown",
    ),
)
