"""A witness behind a URL: each checkpoint is posted to it as text."""

from __future__ import annotations

import asyncio

import httpx

from engine.history.errors import WitnessError

_TYPE = {"Content-Type": "text/plain; charset=utf-8"}


class HttpWitness:
    """Publishes checkpoints by POST to a URL that answers with 2xx."""

    def __init__(self, url: str, seconds: float) -> None:
        """`seconds` is how long it may take in all."""
        self._url = httpx.URL(url)
        self._seconds = seconds

    @property
    def name(self) -> str:
        """Return its host; a password in the URL is shown nowhere."""
        return f"witness: {self._url.host}"

    @property
    def hint(self) -> str:
        """Return how to post by hand."""
        return f"curl -i -d test {self._url.copy_with(userinfo=b'', query=None)}"

    async def look(self) -> None:
        """Connect to the host of the URL, and send nothing. Raises WitnessError."""
        port = self._url.port or (443 if self._url.scheme == "https" else 80)
        try:
            async with asyncio.timeout(self._seconds):
                _, writer = await asyncio.open_connection(self._url.host, port)
        except TimeoutError:
            raise WitnessError(f"no connection within {self._seconds:g} s") from None
        except OSError as error:
            raise WitnessError(str(error) or type(error).__name__) from None
        writer.close()

    async def publish(self, note: str) -> None:
        """Post a checkpoint. No redirect is followed, and what is answered is not read.

        Raises:
            WitnessError: it was not taken within the time.
        """
        try:
            async with asyncio.timeout(self._seconds), httpx.AsyncClient(trust_env=False) as client:
                sent = client.stream("POST", self._url, content=note.encode(), headers=_TYPE, timeout=None)
                async with sent as response:
                    status = response.status_code
        except TimeoutError:
            raise WitnessError(f"no answer within {self._seconds:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise WitnessError(str(error) or type(error).__name__) from None
        if not 200 <= status < 300:
            raise WitnessError(f"it answered {status}")
