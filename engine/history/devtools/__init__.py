"""Synthetic histories for development and benchmarks."""
