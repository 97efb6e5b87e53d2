"""Decodes a picture from stdin to a few pixels on stdout, in a separate process.

A picture is the guest's work, and decoding it is the most that a hostile one could attack. So it is done in
Python, in a process without environment, with bounds on its time and memory, that does nothing but answer:
`WIDTH HEIGHT`, a line feed and three bytes for each pixel; or, with exit code 1, one line that says why not.
"""

from __future__ import annotations

import struct
import sys
import zlib

from console.pictures import gif, jpeg, png
from console.pictures.shrink import Thumbnail, UnsupportedPicture
from console.safety.process_bounds import bound

MAX_BYTES = 400 << 20
MAX_SECONDS = 12
KINDS = {png.SIGN: png.thumbnail, gif.SIGN: gif.thumbnail, jpeg.SIGN: jpeg.thumbnail}
DECODE_ERRORS = (
    UnsupportedPicture,
    zlib.error,
    struct.error,
    LookupError,
    ValueError,
    MemoryError,
    OverflowError,
)
"""The errors that decoding a broken picture can raise."""


def main(columns: str, rows: str) -> int:
    """Decode stdin and write the result to stdout. Returns the exit code."""
    bound(MAX_BYTES, MAX_SECONDS)
    try:
        width, height, pixels = thumbnail(sys.stdin.buffer.read(), int(columns), int(rows))
    except DECODE_ERRORS as error:
        sys.stdout.write(str(error) or type(error).__name__)
        return 1
    sys.stdout.buffer.write(f"{width} {height}\n".encode() + pixels)
    return 0


def thumbnail(data: bytes, columns: int, rows: int) -> Thumbnail:
    """Return width, height and RGB bytes of a picture that is at most `columns` by `rows` pixels."""
    for sign, decode in KINDS.items():
        if data.startswith(sign):
            return decode(data, columns, rows)
    raise UnsupportedPicture("not a PNG, JPEG or GIF")
