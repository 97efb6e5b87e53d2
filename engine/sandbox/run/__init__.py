"""The logic of one run: scheduling, execution, limits, kill reasons, results."""
