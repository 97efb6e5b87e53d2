"""Commands about previews of servers in sandboxes."""
