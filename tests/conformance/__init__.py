"""The conformance suite over our own stores, and over stores that are broken on purpose."""
