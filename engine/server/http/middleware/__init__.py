"""ASGI middleware: limits, authentication, the last resort for errors."""
