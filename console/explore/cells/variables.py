"""The variables of a Python session: asked inside it, by code that calls nothing of the user's."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from engine.common.text import Untrusted
from engine.models import FrozenModel

MOST = 1000
MOST_CHARACTERS = 1 << 20
PURPOSE = "List the variables of the session in Explore"
CODE = """\
def _pratique_variables(names):
    import json, sys
    hidden = {"In", "Out", "exit", "quit", "get_ipython", "open"}
    kinds = (int, float, str, bytes, list, tuple, dict, set)
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    arrays = (getattr(numpy, "ndarray", None),)
    tables = (getattr(pandas, "DataFrame", None), getattr(pandas, "Series", None))
    found = []
    for name, value in sorted(names.items()):
        if name.startswith("_") or name in hidden or type(value) is type(sys):
            continue
        length = len(value) if type(value) in kinds[2:] + tables else None
        shown = repr(value)[:60] if type(value) in (int, float, bool, type(None)) else ""
        size = sys.getsizeof(value) if type(value) in kinds else object.__sizeof__(value)
        if type(value) in arrays:
            length, size = value.size, value.nbytes
        if type(value) in tables:
            size = int(numpy.sum(value.memory_usage()))
        found.append({"name": name, "kind": type(value).__name__, "bytes": size, "length": length,
                      "value": shown})
    print(json.dumps(found[:1000]))
_pratique_variables(dict(globals()))
del _pratique_variables
"""


class Variable(FrozenModel):
    """A variable of a session, as the guest tells it."""

    name: Untrusted
    kind: Untrusted
    bytes: Annotated[int, Field(ge=0, le=1 << 50)]
    """Its own size, without what it refers to; of an array or a table of pandas, that of its values."""
    length: int | None = None
    value: Untrusted = Untrusted("")


_VARIABLES = TypeAdapter(Annotated[tuple[Variable, ...], Field(max_length=MOST)])


def parsed(output: Untrusted) -> tuple[Variable, ...] | None:
    """Return the variables that the code printed; None where it printed something else."""
    lines = output.text[:MOST_CHARACTERS].strip().rsplit("\n", 1)
    try:
        return _VARIABLES.validate_json(lines[-1])
    except ValidationError:
        return None
