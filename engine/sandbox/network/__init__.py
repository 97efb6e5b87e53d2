"""The network of a run: a bridge in the sandbox leads to an egress proxy, which allows granted hosts only."""
