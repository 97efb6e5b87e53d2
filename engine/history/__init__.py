"""The history: append, chain, search, replay, export, verify."""

from engine.history.errors import ErasedError, HistoryError
from engine.history.store.sqlite.cases import summary_of
from engine.history.store.sqlite.store import AuditLog
from engine.history.verify.verifier import Tell

__all__ = ["AuditLog", "ErasedError", "HistoryError", "Tell", "summary_of"]
