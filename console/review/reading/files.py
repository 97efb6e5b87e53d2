"""What was displayed of the input files of one submission."""

from __future__ import annotations

from dataclasses import dataclass, field

from console.review.reading.profile import Profile


@dataclass
class FileReading:
    """What was displayed of the input files of one submission so far, by the place of a file."""

    lines: dict[int, frozenset[int]] = field(default_factory=dict)
    whole: set[int] = field(default_factory=set)
    """The files that were displayed to their last byte."""
    profiled: set[int] = field(default_factory=set)
    """The files of which a profile was displayed that counts."""
    profiles: dict[int, Profile] = field(default_factory=dict)

    @property
    def known(self) -> set[int]:
        """The files that need not be displayed any more."""
        return self.whole | self.profiled
