"""What a world is: how test sets of two systems with shared raters, runs or clusters are made.

Every world makes test sets of two systems. Item i has a true value μᵢ ~ U(.3, .7) and a place zᵢ ~ N(0, 1)
on an axis of opinion. The responses are

    gold, rater j:   μᵢ + axis·zᵢ + severityⱼ + opinionⱼ·zᵢ + sensitivityⱼ·gᵢ + noise of the rater
    A, run r:        μᵢ + bias + lean·zᵢ + spread·gᵢ + uᵢ + shiftᵣ + slantᵣ·zᵢ + noise
    B, run s:        μᵢ − bias − lean·zᵢ − spread·gᵢ + vᵢ + shiftₛ + slantₛ·zᵢ + noise

with the item's place gᵢ = √3 (μᵢ − .5) / .2, whose variance is 1, and u and v from one distribution. Every
unit has its own severity, opinion, sensitivity, shift or slant, and answers many items with it. The systems
are **equally good** over the population of items and units, by every metric of the world:

- without bias, lean: A and B are drawn from one distribution, so that they can be exchanged;
- with bias or lean: the reflection of the scale, x → 1 − x, turns A into B, and leaves all else as it was
  (`axis` is 0 there, and units are drawn from symmetric laws);
- with preference: A's ratings alone move by preferenceᵣ, whose mean is 0, so that the means of A and B are
  equal and nothing can be exchanged; likewise with bias and skewed severities by `mse`, whose effect is
  linear in severity;
- calibrated: gold's raters are skewed, A lies `bias` above the truth, and B so far below it that the mean
  absolute errors over all raters are equal (`benchmarks.shared_units.simulate.calibrated_bias`);
- with spread: the reflection of each item's ratings and answers about its true value, x → 2 μᵢ − x, turns A
  into B. It leaves errors as they are, and so `mae`, `mse` and `mean_of_emds`, but not other metrics.

`better` makes A better than B: B's deviations v become wider, and B moves away from the truth.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

Response = Literal["continuous", "likert", "binary"]
Law = Literal["normal", "heavy", "skewness 1", "skewness 1.6", "skewed", "lognormal"]
Load = Literal["equal", "unequal", "power", "batches"]

# Means of Likert ratings tie with the threshold of accuracy, and ties are no mirror image of themselves.
GRADED = ("mae", "mse", "spearman", "mean_of_emds")
ERRORS = (*GRADED, "accuracy")
ALL = ("mean", *ERRORS)


@dataclass(frozen=True)
class World:
    """How test sets are made, and which metrics are measured on them.

    Attributes
    ----------
    name
        What the world is called in the results.
    factor
        What items share: "none", "raters", "runs", "outputs" (the same raters rate both systems' outputs),
        "clusters", or several, joined by "+".
    metrics
        Those by which A and B are equally good.
    n_items
        Items of a set, N.
    raters, ratings
        Gold raters J, and how many of them rate an item.
    load
        Who rates what: "equal" (at random), "unequal" (unit j is drawn in proportion to 1/j), "power" (to
        1/j^1.5), or "batches" (the items come in raters/ratings batches, each with raters of its own).
    runs, responses
        Runs (or output raters) of each system, and how many of them answer an item.
    paired
        Whether run r of A and run r of B are the same seed or person.
    fresh_gold, fresh_runs
        Whether the units are in truth drawn anew for every item, although their columns look shared.
    severity, opinion
        SD over gold raters of severityⱼ and opinionⱼ.
    sensitivity
        SD over gold raters of sensitivityⱼ: some raters spread items out, others press them together.
    shift, slant
        SD over runs of shiftᵣ and slantᵣ, drawn for each system.
    common
        SD of a shift that run r of A shares with run r of B; only where runs are paired.
    law
        Law of the units' effects: normal; "heavy", Student's t with 3 degrees of freedom; gamma with a
        skewness of 1 or 1.6; "skewed", exponential, with a skewness of 2; lognormal with σ = 1, of 6.2. All
        have mean 0 and the SD given.
    bias, lean, axis, spread
        As above.
    gold_noise, noise, deviation
        SD of a gold response's noise; of a system's; half-width of the uniform u and v.
    careful
        SD over gold raters of the logarithm of their noise.
    clusters, icc
        Clusters of items (0: none), and the share of the variance of z, u and v that is the cluster's.
    sizes
        "equal" clusters, or "few large": cluster c has a size in proportion to 1/c.
    response
        "continuous" (nothing is cut), "likert" (five levels on [0, 1]), or "binary".
    better
        By how much B is worse: v's half-width grows by 1.5 × as much, B's bias and mean by as much.
    preference
        SD over output raters of how much more they like A than B.
    calibrated
        Whether B's bias is that of an equal mean absolute error.
    by_cluster
        SD of the effect of a rater of outputs, or of a run, on a cluster of items.
    """

    name: str
    factor: str
    metrics: tuple[str, ...]
    n_items: int = 200
    raters: int = 5
    ratings: int = 5
    load: Load = "equal"
    runs: int = 5
    responses: int = 5
    paired: bool = False
    fresh_gold: bool = False
    fresh_runs: bool = False
    severity: float = 0.0
    opinion: float = 0.0
    shift: float = 0.0
    slant: float = 0.0
    common: float = 0.0
    law: Law = "normal"
    bias: float = 0.0
    lean: float = 0.0
    axis: float = 0.0
    gold_noise: float = 0.15
    noise: float = 0.05
    deviation: float = 0.1
    careful: float = 0.0
    clusters: int = 0
    icc: float = 0.0
    sizes: Literal["equal", "few large"] = "equal"
    response: Response = "continuous"
    better: float = 0.0
    # The seed of a world is made of its repr: these are left out, so that worlds without them keep their sets
    sensitivity: float = field(default=0.0, repr=False)
    spread: float = field(default=0.0, repr=False)
    preference: float = field(default=0.0, repr=False)
    by_cluster: float = field(default=0.0, repr=False)
    calibrated: bool = field(default=False, repr=False)

    @property
    def units(self) -> int:
        """The fewest units that any shared factor of the world has."""
        counts = {"raters": self.raters, "runs": self.runs, "outputs": self.runs, "clusters": self.clusters}
        return min((counts[part] for part in self.factor.split("+") if part in counts), default=0)


def with_better_a(world: World) -> World:
    """Return the world with A better than B, by enough to be found in some sets and not in others."""
    if world.preference:
        return replace(world, better=3.0 * world.preference / world.runs**0.5)
    return replace(world, better=0.05 if world.n_items <= 50 else 0.03 if world.n_items <= 200 else 0.02)
