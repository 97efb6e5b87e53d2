"""The names that code can use in an image, asked for in a sandbox of that image and kept by its digest."""
