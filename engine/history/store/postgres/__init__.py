"""The history in PostgreSQL. Needs the extra `postgres`: only what is chosen by a database URL imports it."""
