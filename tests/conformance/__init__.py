"""What every implementation of an interface has to do."""
