"""Find and replace in the editor of Explore."""
