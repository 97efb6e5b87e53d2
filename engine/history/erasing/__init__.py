"""Erasing texts: what stays of a record or a case, and which records say that others were erased."""
