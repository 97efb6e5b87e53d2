"""The history as the engine serves it: events, queries, exports."""
