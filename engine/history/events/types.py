"""The types of events. Data is validated by the model of its type before anything is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from engine.history.errors import InvalidEventError
from engine.history.events.payloads import history, rehearsals, rescans, runs, submissions, system

Payload = Annotated[
    submissions.SubmissionCreatedPayload
    | submissions.SubmissionJoinedPayload
    | submissions.SubmissionAnalysedPayload
    | submissions.SubmissionAssessedPayload
    | submissions.ClaimChangedPayload
    | submissions.AssignmentChangedPayload
    | submissions.SubmissionExtendedPayload
    | submissions.SubmissionRevivedPayload
    | submissions.DecisionMadePayload
    | submissions.FirstApprovalGivenPayload
    | submissions.DrillEndedPayload
    | submissions.SubmissionThrottledPayload
    | submissions.PreApprovalChangedPayload
    | runs.RunRefusedPayload
    | runs.RunQueuedPayload
    | runs.SandboxAssignedPayload
    | runs.SandboxDestroyedPayload
    | runs.SessionChangedPayload
    | runs.RunStartedPayload
    | runs.PreviewPayload
    | runs.RunControlledPayload
    | runs.RunOutputPayload
    | runs.RunMetersPayload
    | runs.OutputTruncatedPayload
    | runs.RunDisplayPayload
    | runs.RunEffectsPayload
    | runs.RunObservedPayload
    | runs.RunSurprisePayload
    | runs.RunSnapshotPayload
    | runs.RunLinesPayload
    | runs.PackagesReadyPayload
    | runs.NetworkAttemptedPayload
    | runs.RunKilledPayload
    | runs.RunArtifactPayload
    | runs.RunEndedPayload
    | rescans.RescanPayload
    | rescans.SubmissionRescannedPayload
    | rehearsals.RehearsalStartedPayload
    | rehearsals.RehearsalEndedPayload
    | system.EngineChangedPayload
    | system.HealthChangedPayload
    | system.ChecksRunPayload
    | system.SandboxProbedPayload
    | system.PolicyLoadedPayload
    | system.PolicyAdoptedPayload
    | system.PolicyRefusedPayload
    | system.SettingsChangedPayload
    | system.ReviewerChangedPayload
    | system.BlockChangedPayload
    | system.ResponseChangedPayload
    | system.IncidentChangedPayload
    | system.IncidentSealedPayload
    | system.SharedQueryPayload
    | system.NoteAddedPayload
    | system.TagChangedPayload
    | system.PrincipalChangedPayload
    | system.SecretChangedPayload
    | system.NotificationPayload
    | history.HistoryViewedPayload
    | history.HistoryExportedPayload
    | history.HistoryVerifiedPayload
    | history.CheckpointSignedPayload
    | history.HistoryUpgradedPayload
    | history.HistoryContradictedPayload
    | history.HistoryReplacedPayload
    | history.WitnessChangedPayload
    | history.ContentsErasedPayload
    | history.HistoryCompactedPayload
    | history.HoldChangedPayload,
    Field(discriminator="type"),
]

_PAYLOAD: TypeAdapter[Payload] = TypeAdapter(Payload)


def validate(type: str, data: dict[str, Any]) -> int:
    """Validate the data of an event, and return the version of its type.

    Raises:
        InvalidEventError: the type is unknown, or the data does not fit it.
    """
    try:
        return _PAYLOAD.validate_python({**data, "type": type}).version
    except ValidationError as error:
        if error.errors()[0]["type"] == "union_tag_invalid":
            raise InvalidEventError(
                f"Unknown event type {type!r}", hint="engine/history/events/types.py lists all types"
            ) from None
        raise InvalidEventError(f"Invalid data for the event {type!r}: {_first(error.errors())}") from None


def _first(errors: Iterable[Any]) -> str:
    error = next(iter(errors))
    where = ".".join(str(part) for part in error["loc"][1:])
    return f"{where}: {error['msg']}" if where else str(error["msg"])
