"""Each promise of docs/guarantees.md, attacked."""
