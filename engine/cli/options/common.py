"""Options and arguments that many commands take."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON, one object per line.")]
SubmissionId = Annotated[str, typer.Argument(help="Submission ID, as shown by `pratique queue`.")]
Requester = Annotated[str, typer.Option(help="Name of the agent that makes the request.")]
