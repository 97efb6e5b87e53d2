"""The channels within WebSocket messages: what API servers send, and what none does."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from engine.models import Stream
from engine.sandbox.drivers.kubernetes.channels import (
    MOST_STATUS_BYTES,
    ChannelEnd,
    ChannelError,
    decode,
    stdin,
)


def failure(causes: object, message: str = "boom") -> bytes:
    """Return a status message of an executed program."""
    return (
        b"\x03"
        + json.dumps({"status": "Failure", "message": message, "details": {"causes": causes}}).encode()
    )


@given(some.binary(min_size=1))
def test_output_is_passed_on_byte_for_byte(data: bytes) -> None:
    """Both output channels carry any bytes, also those that look like other channels."""
    assert (Stream.STDOUT, data) == decode(b"\x01" + data)
    assert (Stream.STDERR, data) == decode(b"\x02" + data)
    assert b"\x00" + data == stdin(data)


@pytest.mark.parametrize("message", [b"\x01", b"\x02", b"\x03", b"\xff\x00"])
def test_messages_without_data_carry_nothing(message: bytes) -> None:
    """The first messages of a stream are empty, and a half-close of version 5 says nothing."""
    assert decode(message) is None


def test_the_end_of_a_program_is_read_from_its_status() -> None:
    """Success has exit code 0; a failure has the code among its causes."""
    assert ChannelEnd(True, 0, "") == decode(b'\x03{"status":"Success"}')
    assert ChannelEnd(False, 7, "boom") == decode(failure([{"reason": "ExitCode", "message": "7"}]))


@pytest.mark.parametrize(
    "causes",
    [None, [], {}, [None], [{"reason": "ExitCode"}], [{"reason": "ExitCode", "message": "9" * 5000}],
     [{"reason": "ExitCode", "message": "-1"}], [{"reason": "ExitCode", "message": "١"}]],
)  # fmt: skip
def test_a_strange_exit_code_is_none(causes: object) -> None:
    """What is no exit code is not taken for one."""
    assert ChannelEnd(False, None, "boom") == decode(failure(causes))


@pytest.mark.parametrize(
    "message",
    [b"", b"\x00in", b"\x04resize", b"\x7fx", b"\xff", b"\xff\x00\x01", b"\x03[]", b"\x03{", b"\x03null",
     b"\x03" + b"[" * 60_000, b"\x03" + b" " * (MOST_STATUS_BYTES + 1)],
)  # fmt: skip
def test_what_no_api_server_sends_is_refused(message: bytes) -> None:
    """Channels that a client writes, unknown ones and statuses that are not one end the stream."""
    with pytest.raises(ChannelError):
        decode(message)


@given(some.binary())
def test_any_message_is_read_or_refused(message: bytes) -> None:
    """No bytes raise anything else."""
    try:
        decoded = decode(message)
    except ChannelError:
        return
    assert decoded is None or isinstance(decoded, tuple)
