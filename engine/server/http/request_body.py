"""What a request may say: JSON without surprises, and no parameter that nobody knows."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from engine.common.errors import Problem
from engine.common.text import visible

MOST_NESTING = 32

_Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class StrictRoute(APIRoute):
    """A route whose bodies are read by `parse`."""

    def get_route_handler(self) -> _Handler:
        """Return a handler that hands requests on as strict ones."""
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await handle(_Strict(request.scope, request.receive))

        return strictly


class _Strict(Request):
    async def json(self) -> Any:
        return parse(await self.body())


def parse(body: bytes) -> Any:
    """Return the value of a JSON text in UTF-8.

    Raises:
        json.JSONDecodeError: it is no JSON.
        HTTPException: it is not UTF-8, names a key twice, is nested too deeply, or holds no JSON number.
    """
    try:
        value = json.loads(body.decode(), object_pairs_hook=_unique, parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise HTTPException(422, f"the body is not UTF-8 text, from byte {error.start} on") from None
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise HTTPException(422, _TOO_DEEP) from None
    except ValueError as error:
        raise HTTPException(422, f"the body is no JSON: {error}") from None
    _bound_nesting(value)
    return value


async def known_parameters(request: Request) -> None:
    """Refuse parameters of the query that the route does not know, that come twice, or that hold a NUL.

    Raises:
        Problem: there is such a one.
    """
    if not request.scope["query_string"]:
        return
    route = request.scope.get("route")
    known = {*_parameters(route.dependant)} if isinstance(route, APIRoute) else set()
    seen: set[str] = set()
    for name, value in request.query_params.multi_items():
        if name not in known:
            raise Problem(422, f"{visible(name)[:64]}: unknown parameter")
        if name in seen:
            raise Problem(422, f"{name}: given twice")
        if "\0" in value:
            raise Problem(422, f"{name}: holds a NUL")
        seen.add(name)


def _parameters(dependant: Dependant) -> Iterator[str]:
    """Yield the names of what a route and the dependencies of it read from the query."""
    yield from (field.alias for field in dependant.query_params)
    for inner in dependant.dependencies:
        yield from _parameters(inner)


_TOO_DEEP = f"the body is nested more than {MOST_NESTING} deep"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise HTTPException(422, f"{visible(twice)[:64]}: named twice in one object")
    return made


def _no_number(constant: str) -> float:
    raise HTTPException(422, f"{constant} is no JSON")


def _bound_nesting(value: Any) -> None:
    level = [value]
    for _ in range(MOST_NESTING + 1):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return
    raise HTTPException(422, _TOO_DEEP)


def _inside(value: Any) -> list[Any]:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [one for one in inner if isinstance(one, dict | list)]
