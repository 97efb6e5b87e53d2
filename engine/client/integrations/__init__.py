"""Executors, tools and approvers for frameworks of agents: what an agent wrote runs in Pratique's sandbox.

Each module imports its framework, which is not a dependency of the client.
"""
