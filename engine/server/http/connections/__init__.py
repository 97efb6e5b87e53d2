"""Connections of an endpoint: how many there may be, who gives way, and how long each may take."""
