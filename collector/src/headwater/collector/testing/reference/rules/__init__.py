"""The rules of docs/semantics.md, each file on those before it: events, runs, names, generations, edges, and then
attempts and walks."""
