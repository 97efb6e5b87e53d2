"""The history in an SQL database: what the databases have in common."""
