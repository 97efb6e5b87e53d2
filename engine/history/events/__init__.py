"""The types of events and the models of their payloads."""
