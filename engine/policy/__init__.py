"""Policy: from an analysis and a request to a risk, a deadline and a grant. Pure functions."""

from engine.policy.grants import beyond
from engine.policy.risk import assess

__all__ = ["assess", "beyond"]
