"""Takes content out of stored events, and leaves a skeleton that the graph still makes sense of."""
