"""What each type of event says.

A model names what readers of the history rely on; further fields are kept. `version` counts the changes of a
type that a reader has to know about; it is recorded as `v` from 2 on.
"""

from engine.audit.facts.base import Facts
from engine.audit.facts.house import (
    EngineChanged,
    PolicyLoaded,
    PolicyRefused,
    PrincipalChanged,
    SandboxProved,
    SecretChanged,
    SettingsChanged,
)
from engine.audit.facts.records import CheckpointMade, Erased, Exported, Looked, Verified, WitnessTold
from engine.audit.facts.runs import (
    ArtifactKept,
    InSandbox,
    Metered,
    NetworkAttempted,
    Output,
    OutputTruncated,
    PackagesReady,
    RunEnded,
    RunKilled,
    RunQueued,
    RunRefused,
    RunShowed,
    RunStarted,
    RunSteered,
    SandboxDestroyed,
    SandboxKept,
)
from engine.audit.facts.submissions import (
    Analysed,
    Claimed,
    Classified,
    Decided,
    Joined,
    Reviewed,
    StandingChanged,
    Submitted,
    Throttled,
)

__all__ = [
    "Analysed",
    "ArtifactKept",
    "CheckpointMade",
    "Claimed",
    "Classified",
    "Decided",
    "EngineChanged",
    "Erased",
    "Exported",
    "Facts",
    "InSandbox",
    "Joined",
    "Looked",
    "Metered",
    "NetworkAttempted",
    "Output",
    "OutputTruncated",
    "PackagesReady",
    "PolicyLoaded",
    "PolicyRefused",
    "PrincipalChanged",
    "Reviewed",
    "RunEnded",
    "RunKilled",
    "RunQueued",
    "RunRefused",
    "RunShowed",
    "RunStarted",
    "RunSteered",
    "SandboxDestroyed",
    "SandboxKept",
    "SandboxProved",
    "SecretChanged",
    "SettingsChanged",
    "StandingChanged",
    "Submitted",
    "Throttled",
    "Verified",
    "WitnessTold",
]
