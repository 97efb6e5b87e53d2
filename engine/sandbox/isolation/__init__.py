"""Whether sandboxes are isolated, and the Health rows that say so."""
