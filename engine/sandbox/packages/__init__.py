"""Packages by grant: fetched in a sandbox of their own, kept in layers, for runs that stay air-gapped."""
