"""The console in a browser of this machine, with access control of its own."""
