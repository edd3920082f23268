"""What is taken away when it is old, and what must stay whatever its age."""
