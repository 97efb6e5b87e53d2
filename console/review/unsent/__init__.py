"""What a reviewer made and the engine does not have yet: kept on disk until it does."""
