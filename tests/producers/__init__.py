"""Real producers of OpenLineage against a real collector: each in an environment of its own, asked about afterwards
through the API."""
