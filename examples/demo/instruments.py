"""The demo's producer: the default one of ``headwater.producer`` but for its clock, which keeps simulated days.

An application imports these names from ``headwater.producer`` itself.
"""

from __future__ import annotations

from headwater.producer import LineageProducer

from .calendar import Calendar

CALENDAR = Calendar()
_producer = LineageProducer(clock=CALENDAR)

configure = _producer.configure
emit = _producer.emit
flush = _producer.flush
run = _producer.run
shutdown = _producer.shutdown
stats = _producer.stats
track_lineage = _producer.track_lineage
