"""The read half of a store: bulk fetches of facts, and of what is derived from them. ``questions`` asks only these.

Every method takes many keys and answers in one round trip or a few, so that a walk costs one fetch of each kind
a level.
Names are raw names: a caller that follows symlinks expands them first (``derive.identity``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

from headwater.collector.facts import Mark, Scope, Side
from headwater.shared.event import Name

Facets = dict[str, dict[str, Any]]
T = TypeVar("T")

NodeKind: TypeAlias = Literal["job", "dataset"]
Node: TypeAlias = tuple[NodeKind, Name]

MAX_SOURCES = 10_000
"""Sources in one answer."""
MAX_MATCHES = 1_000
"""Up to which the matches of a search are counted."""


class IO(NamedTuple):
    """A read or write of one run, as stated."""

    side: Side
    dataset: Name
    version: str
    commit_time: str | None


class OutputFacet(NamedTuple):
    """A dataset facet of an output as one mention last stated it; ``value`` None where it was deleted."""

    dataset: Name
    version: str
    name: str
    said: tuple[str, str]
    """(time, event id): of several mentions the last one counts."""
    value: dict[str, Any] | None


class RunFacts(NamedTuple):
    """What is known of one run. ``io`` and facets may be left out by the fetch that made it."""

    run: str
    job: Name | None
    first_time: str | None
    last_time: str | None
    states: tuple[tuple[str, str], ...]
    """(type, time)."""
    io: tuple[IO, ...]
    facets: Facets
    job_facets: Facets
    io_facets: dict[tuple[Scope, Name, str], Facets]
    output_facets: tuple[OutputFacet, ...]
    named_time: str | None = None
    """Of the statement that says which job it is of: all that is known of when a run was that only a child names."""


class Claim(NamedTuple):
    """A run wrote a generation: committed at ``commit_time``, or a candidate where that is None."""

    dataset: Name
    version: str
    """The declared version, or ``~`` and the run's id."""
    run: str
    commit_time: str | None


class PinQuery(NamedTuple):
    """Which generation of any of ``members`` was current at ``at`` (None: now), not counting a generation that ``run``
    wrote, even if another run committed it too."""

    members: tuple[Name, ...]
    at: str | None
    run: str | None


class Link(NamedTuple):
    """Two names of one dataset: ``a`` carried a symlinks facet naming ``b``, or ``a`` was renamed to ``b``."""

    a: Name
    b: Name
    renamed_at: str | None
    """None for a symlink."""


class Read(NamedTuple):
    """A run read a dataset (or names it in a lineage facet: side NAMED)."""

    run: str
    dataset: Name
    version: str
    side: Side


class ReadQuery(NamedTuple):
    """Reads of ``members``: those that declare ``version``, and those without one whose run's pin time lies within
    ``since`` .. ``until`` (canonical, inclusive; None: open)."""

    members: tuple[Name, ...]
    version: str
    since: str | None
    until: str | None


class JobEdge(NamedTuple):
    """A job's current edge (rule 8)."""

    job: Name
    side: Side
    dataset: Name
    last_time: str
    """First event time of the last run that had it."""


class DatasetFacts(NamedTuple):
    dataset: Name
    first_time: str
    last_time: str
    facets: Facets
    deleted: bool = False
    """Deleted through the API, itself or its namespace, and not seen since."""


class JobFacts(NamedTuple):
    job: Name
    first_time: str
    last_time: str
    facets: Facets
    design: dict[Side, tuple[Name, ...]]
    deleted: bool = False
    """Deleted through the API, itself or its namespace, and not seen since."""


class NamespaceFacts(NamedTuple):
    """A namespace of jobs or datasets, or one that the catalog describes."""

    name: str
    first_time: str
    deleted: str | None
    """Up to when everything in it was deleted."""
    hidden: bool
    """Deleted, and nothing in it was seen since."""
    arrived_time: str
    """The event time of what came first of it: for show, since it alone depends on the order of arrival."""


class SourceFacts(NamedTuple):
    """A source as dataSource facets of datasets state it now."""

    name: str
    uri: str | None
    first_time: str
    """The earliest and the latest of these statements."""
    last_time: str


class RunRow(NamedTuple):
    """One line of a list of runs, derived values ready."""

    run: str
    job: Name | None
    state: str
    contradiction: bool
    started: str | None
    ended: str | None
    first_time: str | None
    last_time: str | None
    logical_key: str | None
    nominal_start: str | None
    parent: str | None
    root: str | None


class RunFilter(NamedTuple):
    """What a list of runs is narrowed to; newest first by (first event time, run)."""

    job: Name | None = None
    state: str | None = None
    since: str | None = None
    parent: str | None = None
    logical_key: str | None = None
    before: tuple[str, str] | None = None
    """Cursor: (first event time, run) of the last one seen."""
    oldest_first: bool = False


class EventFilter(NamedTuple):
    """What a list of documents is narrowed to."""

    run: str | None = None
    job: Name | None = None
    since: str | None = None
    """Event time, inclusive."""
    before: str | None = None
    """Event time, exclusive."""
    kind: str | None = None
    descending: bool = True
    namespace: str | None = None
    """Of the job; a DatasetEvent has none."""


class Document(NamedTuple):
    """A stored event, whole."""

    event_id: str
    raw: bytes
    problems: tuple[tuple[str, str], ...]
    received_at: str


class WantFacts(NamedTuple):
    """A want as it was last said."""

    want: str
    time: str
    partitions: tuple[Name, ...]
    comment: str | None


LinkKind: TypeAlias = Literal["runs", "spawners", "wants", "spawned", "derived"]


class WantQuery(NamedTuple):
    """What is tied to ``key``: of a want the ``runs`` that serve it, its ``spawners`` (runs whose dep-miss asked for
    it) and its ``derived`` wants (what dep-misses of the runs that serve it asked for, itself left out); of a run the
    ``wants`` that it serves and those ``spawned`` by it."""

    kind: LinkKind
    key: str
    since: str = ""
    """The page begins with this id, or the first after it."""


class WantLinks(NamedTuple):
    total: int
    """Of all pages, by an index."""
    ids: tuple[str, ...]
    """In order."""


class RunsPage(NamedTuple):
    total: int
    """Of all pages, by an index."""
    runs: tuple[tuple[str, str], ...]
    """(the time at which its reads are resolved, run), in order."""


class Drop(NamedTuple):
    """A dataset was dropped, by a committed run or by a DatasetEvent."""

    dataset: Name
    time: str


class Hit(NamedTuple):
    """A job or dataset whose name holds what was searched for."""

    kind: NodeKind
    name: Name
    last_time: str


class Search(NamedTuple):
    """Names to find: ``text`` anywhere in them, whatever the case."""

    text: str
    kinds: tuple[NodeKind, ...] = ("job", "dataset")
    namespace: str | None = None
    since: str | None = None
    """Last event time, inclusive."""
    before: str | None = None
    """Last event time, exclusive."""
    newest_first: bool = False
    """By last event time; else by name."""


class DocumentReader(Protocol):
    """Whole events. Raises TransientError when the engine cannot be reached."""

    async def document(self, event_id: str) -> Document | None: ...

    async def list_documents(self, where: EventFilter, limit: int, offset: int) -> list[Document]:
        """By (event time, order of arrival)."""
        ...

    async def count_documents(self, where: EventFilter) -> int: ...

    async def count_by_type(self, bounds: Sequence[str]) -> list[dict[str, int]]:
        """RunEvents by type between each two bounds (event times, ascending; the first inclusive, the next not), one
        dictionary fewer than bounds. Types as stored: upper case."""
        ...

    async def counts(self) -> Mapping[str, int]:
        """events, eventsWithProblems."""
        ...


class GraphReader(Protocol):
    """Facts. Raises TransientError when the engine cannot be reached."""

    async def runs(
        self,
        runs: Collection[str],
        *,
        io: bool = True,
        facets: Collection[str] | None = None,
        described: Collection[str] | None = None,
    ) -> dict[str, RunFacts]:
        """The known ones among ``runs``. ``facets``: only facets of these names (None: all). ``described``: of what is
        said of the datasets themselves (scopes INPUT and OUTPUT), most of all facets, only those of these names."""
        ...

    async def run_rows(self, runs: Collection[str]) -> dict[str, RunRow]: ...

    async def list_runs(self, where: RunFilter, limit: int) -> list[RunRow]: ...

    async def count_runs(self, where: RunFilter) -> int: ...

    async def latest_runs(self, jobs: Collection[Name], each: int) -> dict[Name, list[RunRow]]:
        """The newest runs of each job, at most ``each``."""
        ...

    async def claims(self, generations: Collection[tuple[Name, str]]) -> list[Claim]:
        """Every claim of these (dataset, version) pairs."""
        ...

    async def claims_of_runs(self, runs: Collection[str]) -> list[Claim]: ...

    async def history(
        self, members: Sequence[Name], *, committed: bool, limit: int, before: tuple[str, str] | None = None
    ) -> list[Claim]:
        """Claims newest first: committed by (commit time, version), ``before`` being such a pair; candidates by run."""
        ...

    async def current(self, pins: Sequence[PinQuery]) -> list[Claim | None]:
        """For each query the committed claim with the greatest (commit time, version) not after ``at``."""
        ...

    async def next_commit(self, members: Sequence[Name], after: tuple[str, str], run: str) -> Claim | None:
        """The committed claim, not of ``run``, with the least (commit time, version) greater than ``after``."""
        ...

    async def marks(self, generations: Collection[tuple[Name, str]]) -> list[Mark]:
        """All that was said of these (dataset, version) pairs."""
        ...

    async def reads(self, queries: Sequence[ReadQuery], limit: int) -> list[list[Read]]:
        """For each query its reads, at most ``limit`` each."""
        ...

    async def readers(self, query: ReadQuery, limit: int, after: tuple[str, str] | None = None) -> RunsPage:
        """The runs that ``reads`` finds, each once, those behind ``after`` (an entry of an earlier page)."""
        ...

    async def count_commits(self, members: Collection[Name], before: tuple[str, str]) -> int:
        """How many committed claims ``history`` has of these before a (commit time, version)."""
        ...

    async def wants(self, wants: Collection[str]) -> dict[str, WantFacts]:
        """Those that somebody said more of than that a run serves or spawned them."""
        ...

    async def want_links(self, queries: Sequence[WantQuery], limit: int) -> list[WantLinks]:
        """For each query its page, at most ``limit`` ids."""
        ...

    async def links(self, datasets: Collection[Name]) -> list[Link]:
        """Links from and to these names."""
        ...

    async def carriers(self, datasets: Collection[Name]) -> set[Name]:
        """Those that carry a symlinks facet."""
        ...

    async def listed(self, datasets: Collection[Name]) -> set[Name]:
        """Those that some run lists as an input or output."""
        ...

    async def drops(self, datasets: Collection[Name]) -> list[Drop]: ...

    async def job_edges(self, jobs: Collection[Name], datasets: Collection[Name]) -> list[JobEdge]:
        """Current edges of these jobs, and current edges of any job with these datasets. Where either end is deleted,
        there is none."""
        ...

    async def edge_jobs(self, datasets: Collection[Name]) -> set[Name]:
        """Jobs that have, or ever had, an edge with any of these."""
        ...

    async def job_edges_at(self, jobs: Collection[Name], at: str, max_runs: int) -> list[JobEdge]:
        """Edges of these jobs that were current at ``at`` (canonical): rule 8 over the runs that began no later, of
        each job the newest ``max_runs``."""
        ...

    async def search(self, where: Search, limit: int, offset: int) -> tuple[int, list[Hit]]:
        """(matches, a page of them). Where there are more than ``MAX_MATCHES`` the first so many that the engine finds
        are all: names that begin with the text before others, where the engine can tell."""
        ...

    async def seen_before(self, kind: NodeKind, times: Sequence[str]) -> list[int]:
        """How many were first seen before each of the times (canonical, ascending)."""
        ...

    async def datasets(self, names: Collection[Name]) -> dict[Name, DatasetFacts]: ...

    async def jobs(self, names: Collection[Name]) -> dict[Name, JobFacts]: ...

    async def list_jobs(self, namespace: str | None, limit: int, offset: int) -> tuple[int, list[Name]]:
        """(total, a page by last seen, newest first), without the deleted ones."""
        ...

    async def list_datasets(self, namespace: str | None, limit: int, offset: int) -> tuple[int, list[Name]]:
        """(total, a page by name), without the deleted ones."""
        ...

    async def namespaces(self) -> dict[str, tuple[str, str]]:
        """Namespace to (first, last) event time, of jobs and datasets."""
        ...

    async def namespace_facts(self, names: Collection[str] | None = None) -> list[NamespaceFacts]:
        """The known ones of these namespaces, or all, by name."""
        ...

    async def span(self, namespace: str) -> tuple[str, str] | None:
        """(first, last) event time of the jobs and datasets of a namespace, deleted ones too."""
        ...

    async def sources(self) -> list[SourceFacts]:
        """By name and uri; at most ``MAX_SOURCES``."""
        ...

    async def unpublished(self, datasets: Collection[Name]) -> set[Name]:
        """Those that some run wrote without committing it."""
        ...

    async def counts(self) -> Mapping[str, int]:
        """runs, jobs, datasets, generations."""
        ...

    async def base_lines(self) -> Iterable[bytes]:
        """Every base fact as one line of bytes, in any order, see ``fingerprint``."""
        ...


class Reader(DocumentReader, GraphReader, Protocol):
    """What ``Questions`` needs, from one store or from two."""

    async def counts(self) -> Mapping[str, int]:
        """Of documents and graph."""
        ...


Ask: TypeAlias = Callable[[Reader], Coroutine[Any, Any, T]]
"""A question: asks the reader that it is given, and awaits nothing else."""


@runtime_checkable
class AsksWhole(Protocol):
    """A reader that can take a question as one step: all its fetches see one state of the store, where its engine has
    such a thing."""

    async def whole(self, ask: Ask[T]) -> T:
        """What ``ask`` returns. It may be called again where a transaction had to be begun anew, and may run in a
        thread without an event loop. Raises what ``ask`` raises, and TransientError as any fetch does."""
        ...


class Seen(NamedTuple):
    """What something was made of: what readers said of these jobs and datasets, and of the runs of these jobs."""

    jobs: Collection[Name]
    datasets: Collection[Name]
    """Under each of their names."""
    edges_of: Collection[Node]
    """Jobs and datasets whose edges, too, it was made of."""


class Watch(NamedTuple):
    """What was seen, as it stood."""

    keys: tuple[bytes, ...]
    stamps: int


@runtime_checkable
class Watches(Protocol):
    """A reader that can tell whether what it returned of some jobs and datasets would be the same now."""

    async def watch(self, seen: Sequence[Seen]) -> list[Watch]:
        """Covers what any of these methods returned, in the same view (see ``AsksWhole``), of these jobs and datasets,
        of the runs of these jobs, and of other runs as far as it is about these datasets: jobs, datasets, links,
        carriers, drops, unpublished, latest_runs, runs, run_rows, claims, claims_of_runs, history, current, next_commit
        and marks; and ``job_edges`` of those in ``edges_of``."""
        ...

    async def unchanged(self, watched: Sequence[Watch]) -> list[bool]:
        """False where any of it may be different now."""
        ...
