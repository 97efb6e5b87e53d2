"""Pictures that runs made, as cells of a terminal."""
