"""Types of exceptions that the interpreter acts on."""

from __future__ import annotations

IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError"})
"""The interpreter imports what an uncaught one names, to suggest a name, where it has a `name_from`."""
NAME_ERRORS = frozenset({"NameError", "UnboundLocalError"})
"""The interpreter reads the attribute that an uncaught one names, to suggest it."""
SUGGESTED = IMPORT_ERRORS | NAME_ERRORS
NAMES_ATTRIBUTES = frozenset({"name_from"})
"""Arguments that make the interpreter import what a computed name says."""
