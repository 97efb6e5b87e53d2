"""Abstract evaluation of Python: values, calls, scopes."""
