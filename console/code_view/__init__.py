"""The view of code: lines, folds, minimap, violations on their spans."""
