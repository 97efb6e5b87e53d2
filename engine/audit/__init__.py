"""The event log: append, chain, search, replay, export, verify."""

from engine.audit.cases import summary_of
from engine.audit.errors import AuditError
from engine.audit.log import AuditLog

__all__ = ["AuditError", "AuditLog", "summary_of"]
