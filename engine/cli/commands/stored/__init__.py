"""Commands about the history as it is stored: list, move, back up, restore."""
