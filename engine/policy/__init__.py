"""Policy: from an analysis and a request to a risk, a deadline and a grant. Pure functions, and its files."""

from engine.common.file_faults import Fault, Place, PolicyError
from engine.policy.files.loading import load, shipped
from engine.policy.grants import excess
from engine.policy.policy import Policy
from engine.policy.risk import assess, assess_operation

__all__ = [
    "Fault",
    "Place",
    "Policy",
    "PolicyError",
    "assess",
    "assess_operation",
    "excess",
    "load",
    "shipped",
]
