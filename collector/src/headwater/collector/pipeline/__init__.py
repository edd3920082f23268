"""From the log to the stores."""

from .core import Health, Pipeline
from .outcome import Outcome, Settlement
from .pace import ManualPace, Pace

__all__ = ["Health", "ManualPace", "Outcome", "Pace", "Pipeline", "Settlement"]
