"""From Python source to a syntax tree, and what is read without one."""
