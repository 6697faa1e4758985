"""The case study of Ulmer et al. 2022: two Q-learners on the cart pole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nbyk.studies import Study


class CartPoleStudy(Study):
    """The case study of Ulmer et al. 2022, from the rewards that come with nbyk."""

    name = "cartpole"
    folder = "ulmer2022/case_study"
    keys_of_its_own = False
    report = "nbyk_papers.ulmer2022.cartpole.answer:report"
    report_work = (200.0, 5.0)

    def figures(self, config: Any) -> Sequence[str]:
        return ["rewards", "quantiles", "episodes"]

    def tables(self, config: Any) -> Sequence[str]:
        return ["tests", "power", "eps_min", "episodes"]

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        """Return its commands: one trains the agents anew, one makes the study of any rewards."""
        from nbyk_papers.ulmer2022.cartpole.commands import app

        return {"cartpole": app}


STUDY = CartPoleStudy()
