"""The history: append, chain, search, replay, export, verify."""

from engine.audit.cases import summary_of
from engine.audit.errors import AuditError, ErasedError
from engine.audit.log import AuditLog
from engine.audit.verify import Tell

__all__ = ["AuditError", "AuditLog", "ErasedError", "Tell", "summary_of"]
