"""What a batch of facts comes to, with no database in it: for every store that keeps a graph."""
