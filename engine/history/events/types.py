"""The types of events. Data is validated by the model of its type before anything is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from engine.history.errors import HistoryError
from engine.history.events.payloads import history, runs, submissions, system

Payload = Annotated[
    submissions.SubmissionCreated
    | submissions.SubmissionJoined
    | submissions.SubmissionAnalysed
    | submissions.SubmissionAssessed
    | submissions.ClaimChanged
    | submissions.DecisionMade
    | submissions.FirstApprovalGiven
    | submissions.SubmissionThrottled
    | submissions.PreApprovalChanged
    | runs.RunRefused
    | runs.RunQueued
    | runs.SandboxAssigned
    | runs.SandboxDestroyed
    | runs.SessionChanged
    | runs.RunStarted
    | runs.RunControlled
    | runs.RunOutput
    | runs.RunMeters
    | runs.OutputTruncated
    | runs.RunDisplay
    | runs.PackagesReady
    | runs.NetworkAttempted
    | runs.RunKilled
    | runs.RunArtifact
    | runs.RunEnded
    | system.EngineChanged
    | system.SandboxProbed
    | system.PolicyLoaded
    | system.PolicyRefused
    | system.SettingsChanged
    | system.PrincipalChanged
    | system.SecretChanged
    | history.HistoryViewed
    | history.HistoryExported
    | history.HistoryVerified
    | history.CheckpointSigned
    | history.WitnessChanged
    | history.ContentsErased,
    Field(discriminator="type"),
]

_PAYLOAD: TypeAdapter[Payload] = TypeAdapter(Payload)


def validate(type: str, data: dict[str, Any]) -> int:
    """Validate the data of an event, and return the version of its type.

    Raises:
        HistoryError: the type is unknown, or the data does not fit it.
    """
    try:
        return _PAYLOAD.validate_python({**data, "type": type}).version
    except ValidationError as error:
        if error.errors()[0]["type"] == "union_tag_invalid":
            raise HistoryError(
                f"Unknown event type {type!r}", hint="engine/history/events/types.py lists all types"
            ) from None
        raise HistoryError(f"Invalid data for the event {type!r}: {_first(error.errors())}") from None


def _first(errors: Iterable[Any]) -> str:
    error = next(iter(errors))
    where = ".".join(str(part) for part in error["loc"][1:])
    return f"{where}: {error['msg']}" if where else str(error["msg"])
