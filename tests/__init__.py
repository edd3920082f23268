"""What crosses the wheels: meaning, promises, corpus, rooms."""
