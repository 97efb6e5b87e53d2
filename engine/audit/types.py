"""The types of events. Data is checked against its type's model before anything is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from engine.audit import facts
from engine.audit.errors import AuditError

Fact = Annotated[
    facts.Submitted
    | facts.Joined
    | facts.Analysed
    | facts.Classified
    | facts.Claimed
    | facts.Decided
    | facts.Reviewed
    | facts.Throttled
    | facts.StandingChanged
    | facts.RunRefused
    | facts.RunQueued
    | facts.InSandbox
    | facts.SandboxDestroyed
    | facts.SandboxKept
    | facts.RunStarted
    | facts.RunSteered
    | facts.Output
    | facts.Metered
    | facts.OutputTruncated
    | facts.RunShowed
    | facts.PackagesReady
    | facts.NetworkAttempted
    | facts.RunKilled
    | facts.ArtifactKept
    | facts.RunEnded
    | facts.EngineChanged
    | facts.SandboxProved
    | facts.PolicyLoaded
    | facts.PolicyRefused
    | facts.SettingsChanged
    | facts.PrincipalChanged
    | facts.SecretChanged
    | facts.Looked
    | facts.Exported
    | facts.Verified
    | facts.CheckpointMade
    | facts.WitnessTold
    | facts.Erased,
    Field(discriminator="type"),
]

_FACT: TypeAdapter[Fact] = TypeAdapter(Fact)


def check(type: str, data: dict[str, Any]) -> int:
    """Return the version of an event's type.

    Raises:
        AuditError: there is no such type, or the data lacks what it has to say.
    """
    try:
        return _FACT.validate_python({**data, "type": type}).version
    except ValidationError as error:
        if error.errors()[0]["type"] == "union_tag_invalid":
            raise AuditError(f"No event is called {type!r}", mend="engine/audit/facts has all") from None
        raise AuditError(f"No event {type!r} can be recorded: {_first(error.errors())}") from None


def _first(errors: Iterable[Any]) -> str:
    error = next(iter(errors))
    where = ".".join(str(part) for part in error["loc"][1:])
    return f"{where}: {error['msg']}" if where else str(error["msg"])
