"""Random histories held against the small, obvious and slow model of ``headwater.collector.testing.reference``."""
