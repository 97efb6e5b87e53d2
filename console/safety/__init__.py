"""What keeps the terminal safe from the text that is shown."""
