"""The MCP server: what agents call, attached to the same engine that the operator's console shows."""
