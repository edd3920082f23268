"""A small, obvious and slow model of the rules in tests/semantics/README.md, and random histories held against it."""
