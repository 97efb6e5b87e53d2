"""Principals: who may do what, and the keys that they sign with."""

from engine.principals.keys import KeyRing
from engine.principals.roles import may
from engine.principals.signing import canonical_bytes, sign, verify

__all__ = ["KeyRing", "canonical_bytes", "may", "sign", "verify"]
