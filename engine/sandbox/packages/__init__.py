"""Granted packages: installed in a separate sandbox, and mounted read-only into runs without network."""
