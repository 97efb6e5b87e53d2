"""What the sandboxes of a backend can do."""

from __future__ import annotations

from dataclasses import dataclass, fields

from engine.models import Language, Permissions


@dataclass(frozen=True, slots=True)
class BackendCapabilities:
    """What the sandboxes of a backend can do; a request for more is refused before anything starts."""

    languages: frozenset[Language] = frozenset()
    packages: frozenset[Language] = frozenset()
    """Languages that packages can be installed for."""
    builds: bool = False
    """Whether packages may run their own code during installation."""
    network: bool = False
    """Whether hosts can be granted by name, with everything else blocked."""
    secrets: bool = False
    """Whether hosts can be given secrets that the guest never sees."""
    sessions: bool = False
    """Whether sandboxes can keep state between executions."""
    displays: bool = False
    """Whether pictures and tables that code displays are returned as such."""
    pause: bool = False
    """Whether a run can be paused."""
    live_resize: bool = False
    """Whether limits of a ready sandbox can be changed; otherwise other limits mean a cold start."""

    def missing(self, language: Language, requested: Permissions) -> str:
        """Return, in words, what is requested but not supported; empty if all of it is."""
        if language not in self.languages:
            return f"no {language}"
        kinds = {
            "no network": requested.domains and not self.network,
            "no secrets": requested.secrets and not self.secrets,
            f"no packages for {language}": requested.packages and language not in self.packages,
            "no packages that run their own code during installation": requested.builds and not self.builds,
            "no sessions": requested.session and not self.sessions,
        }
        return ", ".join(words for words, is_missing in kinds.items() if is_missing)

    @property
    def supported(self) -> tuple[str, ...]:
        """Return the names of all supported features, languages aside."""
        return tuple(one.name for one in fields(self) if getattr(self, one.name) is True)
