"""The Explore screen."""
