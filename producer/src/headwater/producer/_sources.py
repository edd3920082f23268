"""What the sender reads from: this process's own lane, and orphans that it adopts."""

from __future__ import annotations

from typing import Any

from ._notice import notice
from ._spool.ack import START, Position
from ._spool.lane import Lane, adoptable
from ._spool.reader import Batch, LaneReader, OrphanExtent
from ._spool.writer import SpoolWriter
from ._stats import DAMAGED, LOST, Accounts

_MAX_ADOPTED = 16


class Source:
    """One lane to send. ``live``: still appended to. ``mine``: its events are in this process's accounts."""

    def __init__(self, reader: LaneReader, accounts: Accounts, writer: SpoolWriter | None, *, mine: bool) -> None:
        self.reader, self.mine = reader, mine
        self.live = writer is not None
        self._accounts, self._writer = accounts, writer

    @property
    def current(self) -> bool:
        """Whether the lane is still held. A live one is let go when the producer shuts down."""
        return self._writer is None or self._writer.lane is self.reader.lane

    def settle(self, batch: Batch) -> None:
        """Call under the lock, when every event of the batch is delivered or refused. Raises OSError."""
        writer = self._writer
        if writer is None:
            if batch.damaged and not self.mine:
                self._accounts.give_up(DAMAGED, batch.damaged, mine=False)
            self.reader.settle(batch)
            return
        writer.settled(batch.end.segment, len(batch.events))
        if batch.damaged and batch.end.segment == writer.end().segment:
            writer.roll()  # how many events the damage took is known when the segment is closed
        self.reader.settle(batch)
        if batch.end == writer.end():
            writer.make_room(batch.end.offset)

    def next_batch(self) -> Batch | None:
        """What is to be sent next. Raises OSError."""
        if not self.current:
            return None
        batch = self.reader.next_batch()
        if self._writer is not None and self._writer.lost:
            with self._writer.lock:
                lost, self._writer.lost = self._writer.lost, 0
                self._accounts.give_up(DAMAGED, lost)
        return batch


class Sources:
    """Used by the sender's thread, but for ``end`` and ``position``."""

    def __init__(self, writer: SpoolWriter, accounts: Accounts, lock: Any) -> None:
        self.orphans: list[Source] = []
        self._writer, self._accounts, self._lock = writer, accounts, lock
        self._own: Source | None = None
        self._unreadable: set[str] = set()
        self.more = False
        """Whether there are orphans that wait until some of those adopted are sent."""

    def all(self) -> list[Source]:
        """Orphans first: they are older."""
        with self._lock:
            self._writer.close_retired()
            lane = self._writer.lane
            if self._own is not None and not self._own.current:
                self._own.reader.close()
                self._own = None
            if self._own is None and lane is not None and self._writer.active is not None:
                self._own = Source(LaneReader(lane, self._writer), self._accounts, self._writer, mine=True)
        return [*self.orphans, *([self._own] if self._own else [])]

    def scan(self) -> None:
        """Looks for lanes that no living process holds, and for what others take of the bound."""
        writer = self._writer
        own = writer.lane.path if writer.lane else None
        held = {source.reader.lane.path for source in self.orphans}
        self.more = False
        for path in adoptable(writer.root, own):
            if path in held or path in self._unreadable:
                continue
            if len(self.orphans) >= _MAX_ADOPTED:
                self.more = True
                break
            self._adopt(path)
        writer.measure()
        if writer.missing():
            raise FileNotFoundError(f"{own} was deleted")

    def _adopt(self, path: str) -> None:
        try:
            lane = Lane.adopt(path)
        except OSError:  # removed meanwhile, or another user's: nothing of ours to send
            return
        if lane is None:
            return
        try:
            reader = LaneReader(lane, OrphanExtent(lane))
        except OSError as error:
            lane.release()
            self._skip(path, error)
            return
        self.orphans.append(Source(reader, self._accounts, None, mine=path in self._writer.made))

    def done(self, source: Source) -> None:
        """An orphan has been sent whole."""
        source.reader.close()
        source.reader.lane.remove()
        self._writer.made.discard(source.reader.lane.path)
        self.orphans.remove(source)
        self._writer.measure()

    def set_aside(self, source: Source, error: OSError) -> None:
        """An orphan cannot be read: it stays as it is, and this process does not try again."""
        source.reader.close()
        source.reader.lane.release()
        self.orphans.remove(source)
        self._skip(source.reader.lane.path, error)

    def _skip(self, path: str, error: OSError) -> None:
        self._unreadable.add(path)
        self._accounts.last_error = f"spool: {path}: {error}"
        notice("orphan", "headwater: what an earlier process left in %s cannot be read: %s", path, error)

    def end(self) -> Position:
        """Where this process's last event ends."""
        return self._writer.end()

    def position(self) -> Position:
        """How far this process's own lane is done."""
        own = self._own
        return own.reader.position if own is not None else START

    def has_more(self) -> bool:
        """Whether there is something to send in this process's lane."""
        return self.position() < self.end()

    def recover(self, error: OSError) -> None:
        """After an error of the disk: if the lane was deleted under us its events are lost, and a new one is begun."""
        with self._lock:
            if self._writer.missing():
                lost = self._accounts.spooled
                self._accounts.give_up(LOST, lost)
                self.close()
                self._writer.close(lambda: True)

    def close(self) -> None:
        """Lets go of files and of adopted lanes."""
        own, self._own = self._own, None
        if own is not None:
            own.reader.close()
        orphans, self.orphans = self.orphans, []
        for source in orphans:
            source.reader.close()
            source.reader.lane.release()
