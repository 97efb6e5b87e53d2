"""Headers of the HTTP API that small programs send, which load none of its models."""

AGENT = "pratique-agent"
"""The header in which one connection of an unregistered agent names itself, by a secret of its own."""
