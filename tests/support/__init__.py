"""What several of these tests need: stores to ask, ways to deliver, seeds, files from outside."""
