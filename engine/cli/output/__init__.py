"""Terminal output: text, progress bars, exports."""
