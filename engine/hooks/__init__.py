"""Hooks of coding agents: what an agent wants to run is passed, run in a sandbox instead, or denied.

Until the engine has answered nothing but the standard library is imported: an agent waits for every hook.
"""
