"""Examples that run. ``python -m examples.demo`` is the one to start with."""
