"""The rules of docs/semantics.md a second time, small and slow, and random histories to hold a store against."""
