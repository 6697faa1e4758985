"""The roles of a table's columns: as asked for, as its maker declares, or by a documented list of names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import combinations

from nbyk.data.tables import Table, is_number
from nbyk.data.text import look_alikes, seen, simplified, some
from nbyk.errors import DataPlace, NbykError, argument_with, renaming

RUN_NAMES = ("run", "run_id", "seed", "epoch", "trial", "attempt", "repeat", "repetition", "replicate")
KNOWN_NAMES: Mapping[str, tuple[str, ...]] = {
    "item": (
        *("item_id", "sample_id", "example_id", "question_id", "prompt_id", "instance_id", "doc_id"),
        *("text_id", "post_id", "tweet_id", "comment_id", "id"),
    ),
    "rater": (
        *("rater_id", "annotator", "annotator_id", "coder", "coder_id", "worker", "worker_id"),
        *("judge", "judge_id", "user", "user_id"),
        *RUN_NAMES,
    ),
    "value": ("score", "rating", "response", "label"),
    "cluster": ("cluster", "cluster_id", "group_id", "conversation_id", "passage_id", "document_id"),
    "system": ("system", "system_id", "model", "model_id", "model_name", "method"),
}
"""Column names that nbyk recognises if the columns asked for are missing; docs/formats.md lists them."""

ITEM_NAMES = ("item", *KNOWN_NAMES["item"])
"""All names of columns of items."""

OF_VOTES = ("model_a", "model_b", "winner")
"""The columns of a table of votes."""

ROLE_NAMES = {*KNOWN_NAMES, *(name for names in KNOWN_NAMES.values() for name in names)}
"""All names that nbyk knows for a column."""

LIKE_VALUES = {
    *("prediction", "predicted", "pred", "output", "answer", "judgment", "judgement", "annotation", "grade"),
    *("correct", "accuracy", "acc", "f1", "class", "category", "gold", "target"),
}
"""Names of columns that hold values if nothing else does, and that errors propose for values."""

SUMMARIES = {"mean", "average", "avg", "total", "sum", "median", "std", "stdev", "overall", "majority"}
"""Names of rows and columns that people, and spreadsheets, put beside the data."""

NO_RATERS = {
    *SUMMARIES,
    *LIKE_VALUES,
    *("precision", "recall", "bleu", "rouge", "exact_match", "acc_norm"),
    *("confidence", "probability", "prob", "logprob", "logprobs", "perplexity", "loss"),
    *("p_value", "stderr", "std_err", "weight", "rank"),
    *("latency", "duration", "time", "cost", "tokens", "n_tokens", "num_tokens", "length", "timestamp"),
}
_NO_VALUES = ("_at", "_by", "_id", "_time")
_UNIT = re.compile(r"[ _(\[-]+(ms|s|secs?|seconds|minutes|usd|eur)[)\]]?$")
ROW_NUMBERS = {"index", "unnamed: 0", "__index_level_0__"}
"""The names that pandas gives to the row numbers that it writes beside the data."""

_OF_IDS = (ROLE_NAMES | ROW_NUMBERS).difference(RUN_NAMES)
"""Names of columns of ids and roles: read as a rater's, such a column silently makes ratings out of ids."""

USUALLY_LOWER = {
    *("wer", "cer", "ter", "mer", "error", "loss", "nll", "perplexity", "ppl"),
    *("mae", "mse", "rmse", "hallucination"),
    *("brier", "latency", "duration", "time", "seconds", "cost", "distance", "toxicity"),
}
"""Words in the names of values of which lower ones are usually better."""

_LIKE_GIVERS = re.compile(
    rf".*({'|'.join(RUN_NAMES)}|rater|annotator|coder|worker|judge|user|person|expert|crowd).*"
    r"|[arp][ _-]?\d+",
    re.IGNORECASE,
)
"""Names of columns that may be those of raters or runs of one system."""


@dataclass(frozen=True)
class Columns:
    """The names of a table's columns; without one of raters or runs, each item's ratings are numbered."""

    item: str = "item"
    rater: str | None = "rater"
    value: str = "value"
    cluster: str | None = None

    def __post_init__(self) -> None:
        for role in ("item", "value"):
            if not isinstance(name := getattr(self, role), str):
                raise NbykError(f"found {name!r}, expected the name of a column", argument=role)
        for role, other in combinations(("item", "rater", "value", "cluster"), 2):
            name = getattr(self, other)
            if name is not None and name == getattr(self, role):
                raise NbykError(
                    f"found {name!r}, the column of the {role}s too; expected another one", argument=other
                )


def recognised(table: Table, asked: Columns) -> Columns:
    """Return the columns asked for, with others in place of default names that the table does not have."""
    refuse_votes(table)
    by_role = asked if asked.cluster is not None else replace(asked, cluster=table.roles.get("cluster"))
    for role in ("item", "rater", "value"):
        if getattr(asked, role) == role and role not in table.names:
            name = table.roles.get(role) or known_column(table, role, taken=astuple(asked))
            if name is None and role == "value" and table.scores:
                raise table.place.error(
                    f"found the scores {some(table.scores)}, expected one; choose it with "
                    f"{argument_with('value', table.scores[0])}"
                )
            by_role = by_role if name is None else replace(by_role, **{role: name})
    if by_role.value == "value" and {by_role.item, by_role.rater} <= {*table.names}:
        others = columns_beside(table, by_role, by_role.rater)
        if len(others) == 1 and others[0].lower() in LIKE_VALUES:
            by_role = replace(by_role, value=others[0])
    for name in filter(None, (by_role.item, by_role.rater, by_role.value, by_role.cluster)):
        if name in table.names and not table.nameless:
            form = seen(name).casefold()
            if alike := look_alikes(other for other in table.names if seen(other).casefold() == form):
                raise table.place.error(f"the columns {alike[0]} and {alike[1]} look alike; rename one")
    for name in () if table.nameless else table.names:
        if name != seen(name) and seen(name).lower() in ROLE_NAMES:
            raise table.place.error(
                f"the column {name!a} differs from {seen(name)!r} in spaces, or in signs that nobody sees; "
                "rename it"
            )
    return by_role


def refuse_votes(table: Table) -> None:
    """Raise NbykError if a table is one of votes."""
    if {*OF_VOTES} <= {*table.names}:
        raise table.place.error(
            "holds votes between two outputs, which nbyk does not plan, or read as ratings; give it alone to "
            "nbyk compare, which says how many votes would settle an open pair, or to nbyk.read_votes"
        )


def columns_of_values(table: Table, asked: Columns) -> list[str]:
    """Return the column of values in a table, or those of raters, runs or classes, or of scores."""
    if table.nameless:
        return [*table.names]
    roles = recognised(table, replace(asked, rater=None))
    if roles.value in table.names:
        return [roles.value]
    values = columns_beside(table, roles, asked.rater, *run_columns(table))
    ids = {*ITEM_NAMES, *KNOWN_NAMES["rater"]}
    return [name for name in values if name.lower() not in ids] or values


def refuse_absent_rater(tables: Sequence[Table], rater: str | None) -> None:
    """Raise NbykError if a column of raters is named that none of some tables has; it is no wide table's."""
    if rater not in (None, "rater") and tables and not any(rater in table.names for table in tables):
        tables[0].column(str(rater), "name the column of raters or runs with `rater`, or leave it out")


def refuse_unnamed(files: Sequence[tuple[Table, Columns, str]], of_systems: Columns) -> None:
    """Raise NbykError if columns are missing, with all options that name the right ones.

    `files` are tables with the columns asked for and the prefix of their options, "" for systems.
    """
    missing: list[tuple[Table, str, str]] = []
    options: dict[str, str] = {}
    for table, asked, prefix in reversed(files):
        with renaming({role: f"{prefix}{role}" for role in ("item", "rater", "value")}):
            by_role = recognised(table, asked)
        # without raters, every column beside items may hold a rater's values
        is_named = asked.value != "value" and (not prefix or asked.value != of_systems.value)
        lacks_values = (is_named or by_role.rater in table.names) and by_role.value not in table.names
        lacking = ["item"] * (by_role.item not in table.names) + ["value"] * lacks_values
        missing[:0] = [(table, f"{prefix}{role}", getattr(asked, role)) for role in lacking]
        for role, (name, is_known) in _proposed(table, asked, by_role).items():
            if prefix and role in options:
                is_known = options[role] == name
            if not is_known:
                options[f"{prefix}{role}"] = name
    if not missing:
        return
    (table, argument, name), *others = missing
    elsewhere = [other for other, *_ in others if str(other.place) != str(table.place)]
    found_too = "".join([*dict.fromkeys(f"; {of.place} has {some(of.names)}" for of in elsewhere)][:8])
    if argument == "item" and options and argument not in options:
        way_out = f"if each row is a run, name the column of the scores, as in {_options(options)}"
    else:
        what = "item column" if argument.endswith("item") else "column of the ratings"
        example = f", as in {_options(options)}" if options else ""
        way_out = f"rename the {what}, or name it with `{argument}`{example}"
    if any(map(is_number, options.values())):
        way_out = f"add a line of names above the first line if that is data, or {way_out}"
    table.column(name, f"{way_out}{found_too}")


def _proposed(table: Table, asked: Columns, by_role: Columns) -> dict[str, tuple[str, bool]]:
    """Return the column of each role, as recognised or as it looks, and whether that is known already."""
    known = {role: getattr(by_role, role) for role in ("item", "rater", "value")}
    roles = {role: name for role, name in known.items() if name in table.names}
    others = [name for name in table.names if name not in (*roles.values(), asked.cluster)]
    runs = table.column(roles["rater"], "") if run_word(roles.get("rater", "")) else []
    if "item" not in roles and others and len(set(map(repr, runs))) in (0, *range(len(runs))):
        roles = {"item": others.pop(0), **roles}
    are_numbered = len(others) > 1 and len({re.sub(r"\d+", "", name) for name in others}) == 1
    if "value" in roles or not are_numbered:  # else a column of each rater
        if "value" not in roles and others:
            likely = [name for name in others if name.lower() in LIKE_VALUES]
            likely += [name for name in reversed(others) if not name.lower().endswith(_NO_VALUES)]
            roles["value"] = (likely or others)[0]
            others.remove(roles["value"])
        items = table.column(roles["item"], "") if "item" in roles else []
        if "rater" not in roles and others and len(set(map(repr, items))) < len(items):
            roles["rater"] = others.pop(0)
    if others and "rater" not in roles and roles.get("value") != "value":
        known["value"] = asked.value  # one of several columns of values must be named
    return {role: (name, name == known[role]) for role, name in roles.items()}


def _options(names: Mapping[str, str]) -> str:
    return " ".join(argument_with(role, name) for role, name in names.items())


def notes_on_summaries(what: str, names: Iterable[str]) -> Iterator[str]:
    """Yield a note on the first of some items or runs that is called as summaries are."""
    for name in names:
        if name.strip().lower() in SUMMARIES:
            yield f"the {what} {name!r} has the name of a summary; if it is one, leave its row out"
            return


def known_names(names: Sequence[str], role: str) -> list[str]:
    """Return the columns whose names are known for a role, in any case of letters."""
    return [name for name in names if name.lower() in KNOWN_NAMES[role]]


def clusters_beside(table: Table, roles: Columns) -> set[str | None]:
    """Return the column of clusters and others of such names, which hold no ratings unless a role says so."""
    return {roles.cluster, *known_names(table.names, "cluster")} - {roles.item, roles.rater, roles.value}


def columns_beside(
    table: Table, roles: Columns, *known: str | None, classes: Iterable[str] = ()
) -> list[str]:
    """Return the columns beside those of items, of clusters that are no `classes`, and some known ones."""
    beside = {roles.item, *known} | clusters_beside(table, roles).difference(classes)
    return [name for name in table.names if name not in beside]


def run_columns(table: Table) -> list[str]:
    """Return the columns of runs, by their known names."""
    return [name for name in table.names if name.lower() in RUN_NAMES]


def is_of_no_rater(name: str) -> bool:
    """Return whether a column's name says that it holds no ratings, such as confidence or latency_ms."""
    return _UNIT.sub("", name.lower()) in NO_RATERS


def is_of_ids(name: str) -> bool:
    """Return whether a column's name is that of ids or of a role: its cells are no ratings."""
    return name.strip().lower() in _OF_IDS


def refuse_no_rater(columns: Sequence[str], place: DataPlace) -> None:
    """Raise NbykError if one of several columns of a frame is of no rater or run by its name."""
    for column in columns if len(columns) > 1 else ():
        if is_of_ids(column) or is_of_no_rater(column):
            raise place.error(
                f"column {column!r} is of no rater or run by its name; choose the columns of responses, or "
                "rename it if it holds those of one rater"
            )


def is_usually_lower(name: str) -> bool:
    """Return whether a word in the name of values says that lower ones are usually better."""
    return not USUALLY_LOWER.isdisjoint(re.findall("[a-z]+", simplified(name)))


def run_word(column: str) -> str:
    """Return the word for a run that a column's name holds, such as "seed"; "" if it names no runs."""
    name = column.lower()
    if "trial" in name:
        return "trial"
    return name.removesuffix("_id") if name in RUN_NAMES else ""


def known_column(table: Table, role: str, taken: Sequence[str | None] = ()) -> str | None:
    """Return the column of a known name for a role, unless it is taken; None if there is none."""
    names = [name for name in known_names(table.names, role) if name not in taken]
    if len(names) > 1:
        roles = {of: known_names(table.names, of) for of in dict.fromkeys(("item", "rater", "value", role))}
        ways = _options({other: of[0] for other, of in roles.items() if of})
        raise table.place.error(
            f"the columns {some(names)} could all be the {role}s; name the right ones, as in {ways}"
        )
    return names[0] if names else None


def other_than_system(name: str) -> bool:
    """Return whether a column's name says that it is of a rater, a run, a cluster, or one of many values."""
    return name.lower() in ROLE_NAMES or is_of_no_rater(name) or _LIKE_GIVERS.fullmatch(name) is not None
