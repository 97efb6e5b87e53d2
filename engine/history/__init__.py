"""The history: append, chain, search, replay, export, verify.

`api` has the protocol that the rest of the engine uses; `store.sqlite` implements it.
"""
