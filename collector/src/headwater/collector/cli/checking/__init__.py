"""What ``headwater doctor`` looks at."""
