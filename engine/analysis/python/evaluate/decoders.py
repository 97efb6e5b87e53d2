"""Decoders of constants, each with a bound on its output."""

from __future__ import annotations

import base64
import binascii
import bz2
import codecs
import gzip
import io
import lzma
import urllib.parse
import zlib
from collections.abc import Callable
from typing import Any

from engine.analysis.python.evaluate.fold import MAX_TEXT
from engine.analysis.python.evaluate.values import NOTHING

Decoder = Callable[[Any], Any]


def _bytes(data: Any) -> bytes:
    return data.encode("latin-1") if isinstance(data, str) else bytes(data)


def _lenient_base64(data: Any) -> bytes:
    raw = _bytes(data)
    return base64.b64decode(raw + b"=" * (-len(raw) % 4))


def _inflate(data: Any, wbits: int = zlib.MAX_WBITS) -> bytes:
    return zlib.decompressobj(wbits).decompress(_bytes(data), MAX_TEXT)


def _limited(opener: Callable[[io.BytesIO], Any]) -> Decoder:
    def decode(data: Any) -> bytes:
        with opener(io.BytesIO(_bytes(data))) as stream:
            return bytes(stream.read(MAX_TEXT))

    return decode


_ungzip = _limited(lambda raw: gzip.GzipFile(fileobj=raw))
_unbz2 = _limited(bz2.BZ2File)
_unlzma = _limited(lzma.LZMAFile)


def _rot13(data: Any) -> str:
    return codecs.decode(str(data), "rot13")


DECODERS: dict[str, tuple[str, Decoder]] = {
    "base64.b64decode": ("base64", _lenient_base64),
    "base64.standard_b64decode": ("base64", _lenient_base64),
    "base64.decodebytes": ("base64", lambda data: base64.decodebytes(_bytes(data))),
    "base64.decodestring": ("base64", lambda data: base64.decodebytes(_bytes(data))),
    "base64.urlsafe_b64decode": (
        "base64",
        lambda data: base64.urlsafe_b64decode(_bytes(data) + b"=" * (-len(data) % 4)),
    ),
    "base64.b32decode": ("base32", lambda data: base64.b32decode(_bytes(data))),
    "base64.b16decode": ("base16", lambda data: base64.b16decode(_bytes(data), casefold=True)),
    "base64.a85decode": ("ascii85", lambda data: base64.a85decode(_bytes(data))),
    "base64.b85decode": ("base85", lambda data: base64.b85decode(_bytes(data))),
    "binascii.a2b_base64": ("base64", _lenient_base64),
    "binascii.unhexlify": ("hex", lambda data: binascii.unhexlify(_bytes(data))),
    "binascii.a2b_hex": ("hex", lambda data: binascii.unhexlify(_bytes(data))),
    "builtins.bytes.fromhex": ("hex", lambda data: bytes.fromhex(str(data))),
    "builtins.bytearray.fromhex": ("hex", lambda data: bytes.fromhex(str(data))),
    "zlib.decompress": ("zlib", _inflate),
    "gzip.decompress": ("gzip", _ungzip),
    "bz2.decompress": ("bz2", _unbz2),
    "lzma.decompress": ("lzma", _unlzma),
    "urllib.parse.unquote": ("url", lambda data: urllib.parse.unquote(str(data))),
    "urllib.parse.unquote_plus": ("url", lambda data: urllib.parse.unquote_plus(str(data))),
    "urllib.parse.unquote_to_bytes": ("url", urllib.parse.unquote_to_bytes),
}
CODECS: dict[str, tuple[str, Decoder]] = {
    "rot13": ("rot13", _rot13),
    "rot_13": ("rot13", _rot13),
    "hex": ("hex", lambda data: binascii.unhexlify(_bytes(data))),
    "hex_codec": ("hex", lambda data: binascii.unhexlify(_bytes(data))),
    "base64": ("base64", _lenient_base64),
    "base64_codec": ("base64", _lenient_base64),
    "zlib": ("zlib", _inflate),
    "zlib_codec": ("zlib", _inflate),
    "zip": ("zlib", _inflate),
    "bz2": ("bz2", _unbz2),
    "bz2_codec": ("bz2", _unbz2),
}
_PLAIN_CODECS = frozenset(("utf-8", "utf8", "ascii", "latin-1", "latin1", "utf_8", "iso-8859-1"))


def decode(name: str, data: Any) -> Any:
    """Return what the decoder `name` gives for constant `data`, or NOTHING."""
    if not isinstance(data, str | bytes | bytearray) or len(data) > MAX_TEXT * 4:
        return NOTHING
    try:
        return DECODERS[name][1](data)
    except Exception:  # data that does not decode is no constant
        return NOTHING


def decode_codec(data: Any, codec: str) -> tuple[Any, str]:
    """Return `codecs.decode(data, codec)` and the layer's name, empty for a mere character set."""
    known = CODECS.get(codec.lower())
    if known is None:
        layer = "" if codec.lower() in _PLAIN_CODECS else codec.lower()
        return (_character_set(data, codec), layer)
    try:
        return known[1](data), known[0]
    except Exception:  # data that does not decode is no constant
        return NOTHING, known[0]


def _character_set(data: Any, codec: str) -> Any:
    try:
        return data.decode(codec) if isinstance(data, bytes) else codecs.decode(data, codec)
    except Exception:  # an unknown codec, or data that is not in it
        return NOTHING
