"""What a pilot leaves possible: draws of the variances, and those that assure a plan.

A pilot of few raters hardly knows how raters differ. Given the pilot, each of its mean squares S with ν
degrees of freedom leaves a true one of S ν / χ²_ν possible (generalised fiducial inference: Hannig 2009). A
plan holds in four of five such pilots if it is made for the variance that four of five draws do not exceed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet
from nbyk.metrics import Metric
from nbyk.planning.people import pilot_responses
from nbyk.sums import product
from nbyk.testing.shared_units import SharedUnitsTest
from nbyk.testing.shared_units.collection import Crew, Spread, spread_from, tests_of
from nbyk.testing.shared_units.components import Component
from nbyk.testing.shared_units.power import variance_of

Floats = NDArray[np.float64]

ASSURED = 0.8
"""The share of pilots whose plan has the power that it promises."""

_DRAWS = 2000
_NEAR = 40
"""The mean of so many draws about the quantile is planned with."""

_SEED = 20251125


@dataclass(frozen=True)
class PilotLaw:
    """The variances that a pilot leaves possible.

    Attributes
    ----------
    draws : ndarray, shape (D, 6)
        The variances of `Spread`, in its order.
    units
        The least number of raters or runs (or clusters) of the pilot.
    """

    draws: Floats
    units: int

    @classmethod
    def of(
        cls, pilot: ResponseSet, metric: Metric, *, rated: bool, unit: float = 1.0, times: float = 1.0
    ) -> PilotLaw:
        """Return the law given a pilot, or given one of `times` as many raters and runs that finds the same.

        `unit` is that of `Spread.times`.
        """
        found = pilot_responses(pilot)
        test, alone = (_larger(of, times) for of in tests_of(found, metric))
        generator = np.random.default_rng(_SEED)
        draws = [
            astuple(spread_from(found, (_drawn(test, of), _drawn(alone, of)), rated=rated))
            for of in _chi_squares(generator, [test, alone])
        ]
        units = [part.units for part in test.sources.values()]
        if pilot.n_clusters:
            units.append(pilot.n_clusters)
        return cls(unit**2 * np.array(draws), min(units))

    def declared(self, variances: dict[str, float]) -> PilotLaw:
        """Return the law with some variances of `Spread` known."""
        draws = self.draws.copy()
        for column, field in enumerate(fields(Spread)):
            if field.name in variances:
                draws[:, column] = variances[field.name]
        return replace(self, draws=draws)

    def assured(self, crew: Crew) -> Spread:
        """Return variances that give a crew's effect the variance that four of five draws do not exceed."""
        each = [Spread(**{"items": 0.0, field.name: 1.0}) for field in fields(Spread)]
        order = np.argsort(product(self.draws, [variance_of(one, crew) for one in each]))
        middle = round(ASSURED * len(order))
        return Spread(*self.draws[order[middle - _NEAR // 2 : middle + _NEAR // 2]].mean(axis=0).tolist())


def _larger(test: SharedUnitsTest, times: float) -> SharedUnitsTest:
    """Return the expected test of as many times the units, if the estimates of this one are true."""
    sources = {
        source: replace(
            part,
            units=round(times * part.units),
            total=(max(part.between, 0.0) + part.within) / times,
            within=part.within / times,
            df=times * (part.df + 1.0) - 1.0,
            within_df=times * part.within_df,
            responses=times * part.responses,
            weight_squares=part.weight_squares / times,
        )
        for source, part in test.sources.items()
    }
    if times == 1.0:
        return test
    gone = sum(part.within for part in test.sources.values()) * (1.0 - 1.0 / times)
    items = replace(test.items, total=max(test.items.total - gone, 0.0))
    return replace(test, items=items, sources=sources)


def _chi_squares(generator: np.random.Generator, tests: Sequence[SharedUnitsTest]) -> Any:
    """Return the factors ν / χ²_ν of each draw, by the degrees of freedom ν."""
    parts = [part for test in tests for part in (test.items, *test.sources.values())]
    degrees = sorted({df for part in parts for df in (part.df, part.within_df)})
    # A source of A and one of B with as many units vary apart
    columns = {(df, place): df / generator.chisquare(df, _DRAWS) for df in degrees for place in range(4)}
    return [{key: float(column[row]) for key, column in columns.items()} for row in range(_DRAWS)]


def _drawn(test: SharedUnitsTest, factors: dict[tuple[float, int], float]) -> SharedUnitsTest:
    def part_of(part: Component, place: int) -> Component:
        return replace(
            part,
            total=part.total * factors[part.df, place],
            within=part.within * factors[part.within_df, place],
        )

    sources = {source: part_of(part, place) for place, (source, part) in enumerate(test.sources.items(), 1)}
    return replace(test, items=part_of(test.items, 0), sources=sources)
