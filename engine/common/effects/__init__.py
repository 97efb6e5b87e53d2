"""What an observed effect is about: how grave it is, and which package it lies in. Pure."""
