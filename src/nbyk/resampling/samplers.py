"""Names of the item × response samplers and of the null hypotheses (Wein et al. 2023, section 4.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nbyk.errors import NbykError, check_name, unknown_name

ITEM_SAMPLERS = {
    "all_items": "every item once, in order",
    "bootstrap_items": "N items with replacement, the same for gold, A and B",
}
RESPONSE_SAMPLERS = {
    "all": "every response of the item",
    "first_element": "the item's first response",
    "sample(n)": "n responses with replacement, independently for gold, A and B",
    "sample(K)": "as many responses with replacement as the item has",
}
NULLS = {
    "pooled": "responses drawn with replacement from each item's pool A|B, independently for A and B",
    "pooled_twice": "K responses drawn so from the pool, which the response sampler then resamples",
    "permutation": "each item's pool A|B split at random, without replacement, into as many for A and B",
    "swap_items": "the two systems' whole rows swapped on each item with probability one half",
    "shifted": "the alternative drawn once more and shifted so that the observed effect becomes zero",
}
"""The null hypotheses. The first three test that A and B answer every item from the same distribution (the
strong null); the last two that A and B are equally good over the population of items (the weak null)."""

WEIN_SAMPLERS = (
    "all_items/sample(K)",
    "all_items/sample(1)",
    "bootstrap_items/sample(K)",
    "bootstrap_items/sample(1)",
    "bootstrap_items/first_element",
    "bootstrap_items/all",
)
"""The six samplers of Wein et al. 2023, in the order of their Tables 5 to 14."""


@dataclass(frozen=True)
class Sampler:
    """The way to take one resample from a response set.

    Attributes
    ----------
    items
        "all_items" or "bootstrap_items".
    responses
        "all", "first_element" or "sample".
    n_responses
        For "sample": responses per item, or None for the item's own number.
    """

    items: str
    responses: str
    n_responses: int | None = None

    @property
    def name(self) -> str:
        """The canonical name, such as ``bootstrap_items/sample(K)``."""
        return f"{self.items}/{self.response_name}"

    @property
    def response_name(self) -> str:
        """The response sampler's part of the name."""
        if self.responses != "sample":
            return self.responses
        return f"sample({'K' if self.n_responses is None else self.n_responses})"

    @property
    def keeps_rows(self) -> bool:
        """Whether an item's responses stay unchanged, so that item means can be resampled instead."""
        return self.responses == "all"

    def responses_per_item(self, k: int) -> int:
        """Return the number of responses per item in a resample of K = `k` responses."""
        if self.responses == "first_element":
            return 1
        return k if self.n_responses is None else self.n_responses


def get_sampler(name: str | Sampler) -> Sampler:
    """Return the sampler of a name such as ``bootstrap_items/sample(5)``, or a sampler as it is."""
    if isinstance(name, Sampler):
        return name
    items, slash, responses = name.replace(" ", "").partition("/")
    if not slash:
        raise NbykError(
            f"sampler {name!r}: expected item sampler/response sampler, as bootstrap_items/sample(K)"
        )
    check_name("item sampler", items, ITEM_SAMPLERS)
    if responses in ("all", "first_element"):
        return Sampler(items, responses)
    match = re.fullmatch(r"sample\((K|\d+)\)", responses)
    if match is None:
        raise unknown_name("response sampler", responses, RESPONSE_SAMPLERS)
    if match[1] == "K":
        return Sampler(items, "sample")
    if int(match[1]) < 1:
        raise NbykError(f"sampler {name!r}: sample(n) takes n of at least 1")
    return Sampler(items, "sample", int(match[1]))


def check_null(name: str) -> str:
    """Return the name of a null hypothesis if it is one."""
    check_name("null hypothesis", name, NULLS, argument="null")
    return name
