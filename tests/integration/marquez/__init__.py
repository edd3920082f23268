"""Marquez's API, served over each engine: the recorded answers, its Python client, its users' cases."""
