"""The Review screen."""
