"""Pages of lists: so many items after the last one that a client had, and the link to the next page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

from fastapi import Depends, Query, Request, Response

from engine.common.errors import Problem
from engine.common.text import visible

LINK: dict[int | str, dict[str, Any]] = {
    200: {
        "headers": {
            "Link": {
                "description": 'The next page, with rel="next"; absent on the last one.',
                "schema": {"type": "string"},
            }
        }
    }
}
"""The OpenAPI description of the header of a list in pages."""

_T = TypeVar("_T")


class Page(NamedTuple):
    """Which part of a list a request wants, and where its answer says how to go on."""

    request: Request
    response: Response
    limit: int | None
    after: str

    def of(self, items: Sequence[_T], key: Callable[[_T], object]) -> tuple[_T, ...]:
        """Return the items of this page, and name the next one in the header `Link`.

        Raises:
            Problem: the item to go on after is not in the list any more.
        """
        start = self._start([str(key(item)) for item in items])
        end = len(items) if self.limit is None else start + self.limit
        if end < len(items):
            link_next(self.request, self.response, after=str(key(items[end - 1])))
        return tuple(items[start:end])

    def _start(self, keys: Sequence[str]) -> int:
        if not self.after:
            return 0
        if self.after not in keys:
            raise Problem(
                409, f"{visible(self.after)} is not in the list any more", hint="Begin again without after."
            )
        return keys.index(self.after) + 1


async def _page(
    request: Request,
    response: Response,
    limit: Annotated[int | None, Query(ge=1, le=1000, description="At most so many items.")] = None,
    after: Annotated[
        str, Query(max_length=64, description="The id of the last item of the page before.")
    ] = "",
) -> Page:
    return Page(request, response, limit, after)


CurrentPage = Annotated[Page, Depends(_page)]


def link_next(request: Request, response: Response, **cursor: str) -> None:
    """Name the next page in a response: the same request from `cursor` on."""
    url = request.url.include_query_params(**cursor)
    response.headers["link"] = f'<{url.path}?{url.query}>; rel="next"'
