"""The topics of one pipeline."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.shared.names import DEFAULT_TOPIC, dead_letter_topic, retry_topic


@dataclass(frozen=True, slots=True)
class Topics:
    """Frozen. The names derived from the main topic."""

    main: str = DEFAULT_TOPIC

    @property
    def dead_letters(self) -> str:
        return dead_letter_topic(self.main)

    def retry(self, rung: int) -> str:
        """From 1."""
        return retry_topic(self.main, rung)
