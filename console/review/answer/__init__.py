"""What Review answers before the code is read."""
