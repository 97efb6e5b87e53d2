"""The payload models of events.

A model declares the fields that readers of the history rely on; further fields are kept. `version` counts the
changes of a type that readers have to know about; it is recorded as `v` from 2 on.
"""
