"""Output of a run for an agent: the expected value found, checked, masked and shortened. Pure functions."""
