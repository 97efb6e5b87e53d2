"""What the data of every type of event is."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class EventPayload(BaseModel):
    """What every type is."""

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)
    version: ClassVar[int] = 1
