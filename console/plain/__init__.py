"""`pratique --plain`: the console as ordinary lines."""
