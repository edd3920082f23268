"""Derived facts: pure functions from base facts to states, generations, identities and edges (docs/semantics.md)."""
