"""The part of numpy, pandas and matplotlib that a proven program may use."""
