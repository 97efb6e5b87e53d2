"""Commands of incident responders."""
