"""What leaves as a file for others: the replay manifest, the in-toto statement, W3C PROV."""
