"""Sessions: sandboxes that keep their state between executions."""
