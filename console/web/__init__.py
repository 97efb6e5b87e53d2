"""The console in a browser of this machine, behind a door of its own."""
