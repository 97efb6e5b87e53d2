"""Cells: a script in parts that run one after the other in a session, and notebook files."""
