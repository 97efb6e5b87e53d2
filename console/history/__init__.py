"""The History screen."""
