"""An engine that the others took for dead ends by itself, and is one of them again once it is started."""

from __future__ import annotations

from pathlib import Path

import psycopg

from tests.engine_process import EngineProcess
from tests.postgres_server import server

FENCE = "UPDATE pratique.engines SET fenced = TRUE, token = '' WHERE name = 'zurich'"
MEMBER = "SELECT fenced FROM pratique.engines WHERE name = 'zurich'"
END_SECONDS = 60.0


def engine_of_several(url: str, home: Path) -> EngineProcess:
    """Return an engine that shares its history, without Docker."""
    return EngineProcess(
        home,
        PRATIQUE_HISTORY__DATABASE=url,
        PRATIQUE_HISTORY__ENGINES="several",
        PRATIQUE_HISTORY__ENGINE_NAME="zurich",
        DOCKER_HOST=f"unix://{home}/none",
    )


def test_an_engine_that_was_taken_over_ends_and_may_come_back(tmp_path: Path) -> None:
    """It says why and exits with an error, so that what manages services starts it again."""
    url = server().database("taken_over")
    engine = engine_of_several(url, tmp_path)
    engine.start()
    try:
        with psycopg.connect(url, autocommit=True) as database:
            database.execute(FENCE)
            assert 1 == engine.wait(END_SECONDS)
            assert "took over" in (tmp_path / "test.log").read_text()
            engine.start()
            assert (False,) == database.execute(MEMBER).fetchone()
    finally:
        engine.end()
