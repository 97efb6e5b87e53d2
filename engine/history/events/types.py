"""The types of events. Data is checked against its type's model before anything is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from engine.history.errors import HistoryError
from engine.history.events import payloads

Fact = Annotated[
    payloads.Submitted
    | payloads.Joined
    | payloads.Analysed
    | payloads.Classified
    | payloads.Claimed
    | payloads.Decided
    | payloads.Reviewed
    | payloads.Throttled
    | payloads.PreApprovalChanged
    | payloads.RunRefused
    | payloads.RunQueued
    | payloads.InSandbox
    | payloads.SandboxDestroyed
    | payloads.SessionChanged
    | payloads.RunStarted
    | payloads.RunSteered
    | payloads.Output
    | payloads.Metered
    | payloads.OutputTruncated
    | payloads.RunShowed
    | payloads.PackagesReady
    | payloads.NetworkAttempted
    | payloads.RunKilled
    | payloads.ArtifactKept
    | payloads.RunEnded
    | payloads.EngineChanged
    | payloads.SandboxProved
    | payloads.PolicyLoaded
    | payloads.PolicyRefused
    | payloads.SettingsChanged
    | payloads.PrincipalChanged
    | payloads.SecretChanged
    | payloads.Looked
    | payloads.Exported
    | payloads.Verified
    | payloads.CheckpointMade
    | payloads.WitnessTold
    | payloads.Erased,
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
            raise HistoryError(
                f"No event is called {type!r}", hint="engine/history/events/payloads has all"
            ) from None
        raise HistoryError(f"No event {type!r} can be recorded: {_first(error.errors())}") from None


def _first(errors: Iterable[Any]) -> str:
    error = next(iter(errors))
    where = ".".join(str(part) for part in error["loc"][1:])
    return f"{where}: {error['msg']}" if where else str(error["msg"])
