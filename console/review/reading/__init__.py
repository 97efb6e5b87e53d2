"""Reading input files: byte for byte, or by a profile where they are data."""
