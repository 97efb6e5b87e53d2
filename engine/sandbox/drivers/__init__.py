"""Drivers: the only modules that import what they drive."""
