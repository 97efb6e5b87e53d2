"""Searching a history in an SQL database: from the filter language to SQL."""
