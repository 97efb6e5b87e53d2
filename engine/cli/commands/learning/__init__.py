"""Commands about what past decisions teach."""
