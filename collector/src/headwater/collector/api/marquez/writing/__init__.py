"""Writes through Marquez's API, made into OpenLineage events that go the way of all events, see ADR 11."""
