"""The facts of a submission: what a query finds it by, read from its stored state and its events. Pure."""
