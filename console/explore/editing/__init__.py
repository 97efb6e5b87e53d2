"""What the editor of Explore does beside typing: language, brackets, tabs."""
