"""The queue of Review: the list, its order, filter and marks."""
