"""Answers in the shape Marquez gives them (its Java types are the reference: field names, types, nulls written)."""
