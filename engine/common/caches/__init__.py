"""Caches whose size nobody outside decides."""
