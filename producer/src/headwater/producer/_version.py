"""The producer's own version: one constant, since importlib.metadata costs an import."""

from __future__ import annotations

VERSION = "0.1.0"
