"""The files in the sandbox of Explore: listed, opened in tabs, saved back, and saved on this machine."""
