"""Which characters are displayed as themselves, and how wide they are, from Unicode's database."""
