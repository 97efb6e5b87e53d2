"""Small pieces that every package may use: errors, untrusted text, presentation."""
