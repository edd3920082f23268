"""``headwater mark withdraw``, ``restore``, ``bad`` and ``clear``: what each takes and says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, NamedTuple

import typer

from headwater.shared.event import Name

from ...exits import UsageError
from ...options import ApiOption, DirOption, JsonOption, NameArgument, NamespaceArgument
from .word import Places, Word, say

GenerationsArgument = Annotated[
    list[str] | None, typer.Argument(metavar="GENERATION...", help="Versions of the dataset.", show_default=False)
]
ReasonOption = Annotated[str, typer.Option("--reason", "-r", metavar="TEXT", help="Why, for who reads it later.")]
BackToOption = Annotated[
    str | None, typer.Option(metavar="G", help="Instead: every generation committed after this one.")
]
AuthorOption = Annotated[str | None, typer.Option(metavar="NAME", help="Who says so.")]
AtOption = Annotated[
    str | None, typer.Option(metavar="TIME", help="From when on it holds; default: now.", show_default=False)
]
UrlOption = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Where the event goes, as for `headwater emit`; default: where it was looked up."),
]


class Verb(NamedTuple):
    """What a command says, and whether it must say why."""

    facet: str
    key: str
    value: bool
    help: str
    reason: Any = ""
    """Of the option: ``...`` where it must be given."""

    def word(self, dataset: Name, reason: str, author: str | None, at: str | None) -> Word:
        """With what was said beside it."""
        beside = {"reason": reason or None, "author": author}
        said = {self.key: self.value} | {key: value for key, value in beside.items() if value is not None}
        return Word(dataset, self.facet, said, at)


WITHDRAW: Final = Verb(
    "headwater_withdrawal",
    "withdrawn",
    True,
    """Withdraw generations: what was committed before them is current again. Nothing is deleted.

    Example: headwater mark withdraw shop revenue rev-0004 --reason "wrong currency"
    """,
    ...,
)
RESTORE: Final = Verb(
    "headwater_withdrawal",
    "withdrawn",
    False,
    """Take a withdrawal back.

    Example: headwater mark restore shop revenue rev-0004 --reason "it was right"
    """,
)
BAD: Final = Verb(
    "headwater_bad",
    "bad",
    True,
    """Call generations bad: what was made from them is tainted, see `headwater impact`.

    Example: headwater mark bad shop raw_orders snap-3 --reason "half a file"
    """,
    ...,
)
CLEAR: Final = Verb(
    "headwater_bad",
    "bad",
    False,
    """Say that generations are not bad, or no longer; taint from upstream that is known by now ends there.

    Example: headwater mark clear shop revenue rev-0004 --reason "checked by hand"
    """,
)


def of_named(verb: Verb) -> Callable[..., None]:
    """The command that says it of generations by name."""

    def command(
        namespace: NamespaceArgument,
        name: NameArgument,
        generations: GenerationsArgument = None,
        reason: ReasonOption = verb.reason,
        author: AuthorOption = None,
        at: AtOption = None,
        url: UrlOption = None,
        directory: DirOption = None,
        api: ApiOption = None,
        as_json: JsonOption = False,
    ) -> None:
        word = verb.word(Name(namespace, name), reason, author, at)
        say(word, generations or (), Places(url, directory, api), as_json=as_json)

    command.__doc__ = verb.help
    return command


def withdraw(
    namespace: NamespaceArgument,
    name: NameArgument,
    reason: ReasonOption,
    generations: GenerationsArgument = None,
    back_to: BackToOption = None,
    author: AuthorOption = None,
    at: AtOption = None,
    url: UrlOption = None,
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    if bool(generations) == bool(back_to):
        raise UsageError("give either generations or --back-to")
    word = WITHDRAW.word(Name(namespace, name), reason, author, at)
    say(word, generations or (), Places(url, directory, api), back_to=back_to, as_json=as_json)


withdraw.__doc__ = WITHDRAW.help
