"""The history in SQLite: one writer, read-only readers."""
