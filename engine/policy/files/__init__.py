"""Policy files: read, validated, compiled, tried on their examples and compared."""
