"""What an answer means: the events are taken, or not for now, or never."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx

from headwater.collector.redact import redacted
from headwater.shared.errors import PermanentError, TransientError

NO_SUCH_ENDPOINT: Final = frozenset({404, 405, 501})
"""Of the batch endpoint: events are sent one by one then."""
UNSUPPORTED_ENCODING: Final = 415
_LATER: Final = frozenset({401, 403, 404, 408, 425, 429})
"""Refusals that are not about the event: rights or addresses that somebody will set right, and a server in need of a
pause."""
_SHOWN_CHARS: Final = 300


def check(response: httpx.Response, store: str) -> None:
    """Raises PermanentError on what will be refused again, TransientError on what may be taken later."""
    if response.is_success:
        return
    where = redacted(str(response.request.url))
    message = f"store {store}: {where} answers {response.status_code}: {response.text[:_SHOWN_CHARS]}"
    if response.is_client_error and response.status_code not in _LATER:
        raise PermanentError(message)
    raise TransientError(message, retry_after_s=_retry_after_s(response))


def check_batch(response: httpx.Response, store: str) -> None:
    """As ``check``, and reads what the OpenLineage batch endpoint says of single events (OpenLineage.yml)."""
    check(response, store)
    try:
        said: Any = response.json()
    except ValueError:
        return  # no body, or one of no interest: the status was a success
    failed = said.get("failed_events") if isinstance(said, dict) else None
    if not isinstance(failed, list) or not failed:
        return
    never = [each for each in failed if isinstance(each, dict) and not each.get("retriable")]
    message = f"store {store}: {len(failed)} of the batch refused: {str((never or failed)[0])[:_SHOWN_CHARS]}"
    raise PermanentError(message) if never else TransientError(message, retry_after_s=_retry_after_s(response))


def _retry_after_s(response: httpx.Response) -> float | None:
    """Seconds or a date (RFC 9110)."""
    said = response.headers.get("Retry-After", "").strip()
    if said.isdigit():
        return float(said[:9])
    try:
        until = parsedate_to_datetime(said)
    except ValueError:
        return None
    return max(0.0, (until.astimezone(UTC) - datetime.now(UTC)).total_seconds())
