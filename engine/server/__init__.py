"""How code and people reach the engine: HTTP, MCP, the inbox."""
