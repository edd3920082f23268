"""Cutting a JSON array into the bytes of its elements, so that one bad element costs only itself.

Nothing is parsed here: brackets are counted outside strings, and what stands between two commas at the top is one
element, whatever it is. The codec judges each of them afterwards.
"""

from __future__ import annotations

import re

from .answers import Refusal

# Possessive throughout: no input makes this backtrack.
_BRACKET = re.compile(rb'(?:[^"{}\[\]]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+([{}\[\]])', re.DOTALL)
_TOP = re.compile(rb'(?:[^",{}\[\]]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+([,{}\[\]])', re.DOTALL)
_SPACE = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_CLOSES = {b"{": b"}", b"[": b"]"}
_OPEN = b"{["


def elements(body: bytes, max_elements: int) -> list[bytes]:
    """The elements of the array, each as sent. Raises Refusal 400 if the body is no array, 413 if it has too many."""
    text = body.removeprefix(_BOM).strip(_SPACE)
    if not text.startswith(b"["):
        raise Refusal(400, "the body is not a JSON array of events; one event alone goes to /api/v1/lineage")
    found: list[bytes] = []
    start = position = 1
    while True:
        match = _TOP.match(text, position)
        if match is None:
            raise Refusal(400, f"the array that starts the body is not closed; it broke off after {len(found)} events")
        position = match.end()
        mark = match[1]
        if mark in _OPEN:
            position = _closed(text, position, len(found))
            continue
        if mark == b"}":
            raise Refusal(400, f"byte {position - 1}: a bracket is closed that none opened")
        element = text[start : position - 1].strip(_SPACE)
        if mark == b"]":
            if element or found:
                found.append(element)
            break
        found.append(element)
        if len(found) >= max_elements:
            raise Refusal(413, f"more than {max_elements} events in one call")
        start = position
    if position != len(text):
        raise Refusal(400, f"byte {position}: something follows the array")
    return found


def _closed(text: bytes, position: int, index: int) -> int:
    """The position after what closes the bracket before ``position``; one left open within is closed with it."""
    waiting = bytearray(_CLOSES[text[position - 1 : position]])
    while waiting:
        match = _BRACKET.match(text, position)
        if match is None:
            raise Refusal(400, f"event {index} is not closed")
        position = match.end()
        if match[1] in _OPEN:
            waiting += _CLOSES[match[1]]
        elif (at := waiting.rfind(match[1])) >= 0:
            del waiting[at:]
    return position
