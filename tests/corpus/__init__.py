"""Real events of real producers: each is accepted and kept whole, and the graph of each producer makes sense."""
