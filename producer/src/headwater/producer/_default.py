"""The default instance, and the module's functions over it."""

from __future__ import annotations

from ._producer import LineageProducer

DEFAULT = LineageProducer()

configure = DEFAULT.configure
emit = DEFAULT.emit
flush = DEFAULT.flush
run = DEFAULT.run
shutdown = DEFAULT.shutdown
stats = DEFAULT.stats
track_lineage = DEFAULT.track_lineage
