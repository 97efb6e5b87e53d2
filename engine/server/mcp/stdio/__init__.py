"""`pratique mcp`: a small process between an agent's program and the engine, which serves the agent."""
