"""Policy: from an analysis and a request to a risk, a deadline and a grant. Pure functions, and its files."""

from engine.policy.errors import Fault, Place, PolicyError
from engine.policy.grants import beyond
from engine.policy.loading import load, shipped
from engine.policy.policy import Policy
from engine.policy.risk import assess, assess_operation

__all__ = [
    "Fault",
    "Place",
    "Policy",
    "PolicyError",
    "assess",
    "assess_operation",
    "beyond",
    "load",
    "shipped",
]
