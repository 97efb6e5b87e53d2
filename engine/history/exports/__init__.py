"""The history in forms that other programs read. Pure: nouns in, text or bytes out."""
