"""Loops, recursion and operations that use unbounded resources."""
