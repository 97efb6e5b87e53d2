"""Loops, recursion and operations that ask for unbounded resources."""
