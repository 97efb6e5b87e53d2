"""Searching a SQLite history: from the filter language to SQL."""
