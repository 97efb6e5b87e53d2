"""What drills are made of: code that a reviewer should not approve, with what is in it."""
