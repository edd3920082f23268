"""Scenarios of what events mean, see README.md, and their runner. ``more/`` holds scenarios beyond the given ones."""
