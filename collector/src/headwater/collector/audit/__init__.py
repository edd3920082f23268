"""Seals over the stored events, and how they are verified."""
