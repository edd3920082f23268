"""``headwater mark withdraw``, ``restore``, ``bad`` and ``clear``: what each takes and says."""

from __future__ import annotations

import inspect
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
    """What a command says, whether it must say why, and whether ``--back-to`` may name the generations."""

    facet: str
    key: str
    value: bool
    help: str
    reason: Any = ""
    """Of the option: ``...`` where it must be given."""
    back_to: bool = False

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
    back_to=True,
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


def command_of(verb: Verb) -> Callable[..., None]:
    """The command that says it of generations."""

    def command(
        namespace: NamespaceArgument,
        name: NameArgument,
        generations: GenerationsArgument = None,
        reason: ReasonOption = verb.reason,
        back_to: BackToOption = None,
        author: AuthorOption = None,
        at: AtOption = None,
        url: UrlOption = None,
        directory: DirOption = None,
        api: ApiOption = None,
        as_json: JsonOption = False,
    ) -> None:
        if verb.back_to and bool(generations) == bool(back_to):
            raise UsageError("give either generations or --back-to")
        word = verb.word(Name(namespace, name), reason, author, at)
        say(word, generations or (), Places(url, directory, api), back_to=back_to, as_json=as_json)

    command.__doc__ = verb.help
    if not verb.back_to:
        signature = inspect.signature(command, eval_str=True)
        kept = [option for option in signature.parameters.values() if option.name != "back_to"]
        command.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]  # typer reads it
    return command
