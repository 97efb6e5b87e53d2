"""Previews: a server in a running sandbox, shown in the browser of the person at this machine.

Each preview listens on a port of the loopback, has a host name that nobody can guess, and answers only to the
browser that opened its link.
"""
