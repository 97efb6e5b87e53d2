"""The interface of sandbox backends, independent of any driver."""
