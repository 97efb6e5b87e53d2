"""What came of one fault."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Outcome:
    """What one run of the scenario showed."""

    site: str
    fault: str
    hits: int = 0
    refused: list[str] = field(default_factory=list)
    """The steps that were answered with a refusal."""
    broken: list[str] = field(default_factory=list)
    """The invariants that did not hold."""
    brake_seconds: float = 0.0
    told: bool = False
    """Whether Health went red or a step was refused while the fault lasted."""
    recovery_seconds: float = 0.0
    answered: dict[str, str] = field(default_factory=dict)
    """What clients were told: the id of a submission, and its status then."""
    acted: list[tuple[str, str]] = field(default_factory=list)
    """The events that have to be found: type and subject."""

    @property
    def recovers_unseen(self) -> bool:
        """Whether nobody had anything to be told: no step failed, and what was tried again succeeded."""
        return not self.refused and not self.broken

    @property
    def result(self) -> str:
        """The word for the table."""
        return "; ".join(self.broken) or ("refused cleanly" if self.refused else "carried on")
