"""What responders do from History and from a case: responses, incidents, notes, tags, exports."""
