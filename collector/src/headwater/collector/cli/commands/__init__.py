"""One command a file. Each imports what it needs when it runs."""
