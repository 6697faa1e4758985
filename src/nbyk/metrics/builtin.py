"""The metrics of ratings that come with nbyk; to list or parse them imports no compiled code.

A row says of a metric its name, its function (of item means, or of responses if it `needs` them), which
scores are better, and one line for listings; whether an effect is the mean over items (`additive`), and which
parameters it takes. `traits=Traits(…)` says how a score follows a rating ("linear", "smooth" or in "jumps"),
which changes of one system's responses change no score ("location", "scale", "monotone"), the power of the
ratings' unit in a score, whether it follows single items (a largest error, a median), and its bounds for
ratings from 0 to 1; tests/metrics/test_traits.py measures it. `noun` is what sentences call it, if not by its
name. A faster way to the same numbers is a `form`, `counts` or `from_mean`: take that of its like, or none.
Without one, an additive metric is a sum over items, and any other is scored on the rows of every draw.
"""

from __future__ import annotations

from nbyk.metrics.metric import Change, FromCounts, FromMean, Metric, Parameter, Traits

_WEIN = "Wein, Homan, Aroyo and Welty 2023, Follow the leader(board) with confidence"
_RUBNER = "Rubner, Tomasi and Guibas 2000, The earth mover's distance"


_ERROR = Traits("smooth", unit_power=1, score_range=(0.0, 1.0))
_JUMPS = Traits("jumps", score_range=(0.0, 1.0))
_WINS = Traits("jumps", score_range=(-1.0, 1.0))
_ORDER: tuple[Change, ...] = ("location", "scale", "monotone")

_BY_THRESHOLD = (
    ("accuracy", "Fraction of items that system and gold put on the same side of the threshold."),
    ("precision", "Fraction of the system's positive items that are positive in gold; 0 without any."),
    ("recall", "Fraction of gold's positive items that are positive in the system; 0 without any."),
    ("f1", "Harmonic mean of precision and recall; 0 where nothing is positive."),
)
"""In the order of `nbyk.metrics.classes`."""

_THRESHOLD = (Parameter("threshold", default=0.5, example=0.6),)

# Errors that are equal as fractions can differ by rounding, and rounding must not decide who wins.
_TOLERANCE = (Parameter("tolerance", default=1e-9, minimum=0.0, maximum=1.0, example=0.0),)

WINS = Metric(
    "wins",
    "nbyk.metrics.paired:wins",
    "higher",
    "Share of items on which A is better by a metric, minus the share on which B is.",
    kind="comparison",
    parameters=_TOLERANCE,
    source=_WEIN,
    additive=True,
    traits=_WINS,
    noun="share of items won",
)
"""Made of another metric: `wins(mse)`."""

_TRIALS = (Parameter("k", whole=True, minimum=1, maximum=100_000, example=2),)
_PASSES = (*_TRIALS, Parameter("least", default=1.0, minimum=0.0, maximum=1.0, example=0.5))
_CHEN = "Chen et al. 2021, Evaluating large language models trained on code"
_YAO = "Yao, Shinn, Razavi and Narasimhan 2024, τ-bench"
_OF_TRIALS = (
    ("pass_at", "pass@k: chance that one or more of k trials of an item pass.", _CHEN),
    ("pass_hat", "pass^k: chance that all of k trials of an item pass.", _YAO),
    ("majority_of", "Chance that most of k trials of an item pass; half of k counts one half.", ""),
    ("best_of", "Mean of the best of k trials of an item.", ""),
)
"""In the order of `nbyk.metrics.trials`."""

_ITEM_MEANS = "nbyk.metrics.item_means"
_CORRELATIONS = "nbyk.metrics.correlations"
_PAIRED = "nbyk.metrics.paired"
_DISTRIBUTIONAL = "nbyk.metrics.distributional"
_COUNTS = "nbyk.metrics.counts"
_FORMS = "nbyk.testing.engine.forms"
_TABLES = "nbyk.testing.engine.tables"

BUILTIN = (
    Metric(
        "mae",
        f"{_ITEM_MEANS}:mae",
        "lower",
        "Mean absolute error of the item means.",
        additive=True,
        traits=_ERROR,
        counts=FromCounts(f"{_COUNTS}:absolute_error", "response"),
        noun="error",
        wins="wins_mae",
    ),
    Metric(
        "mse",
        f"{_ITEM_MEANS}:mse",
        "lower",
        "Mean squared error of the item means.",
        additive=True,
        traits=Traits("smooth", unit_power=2, score_range=(0.0, 1.0)),
        counts=FromCounts(f"{_COUNTS}:squared_error", "square"),
    ),
    Metric(
        "inverse_mse",
        f"{_ITEM_MEANS}:inverse_mse",
        "higher",
        "One over the mean squared error of the item means; infinite without error.",
        source=_WEIN,
        traits=Traits("smooth", unit_power=-2, score_range=(1.0, float("inf"))),
        from_mean=FromMean("mse", "numpy:reciprocal", f"{_ITEM_MEANS}:slope_of_reciprocal"),
    ),
    Metric(
        "rmse",
        f"{_ITEM_MEANS}:rmse",
        "lower",
        "Root mean squared error of the item means.",
        traits=_ERROR,
        from_mean=FromMean("mse", "numpy:sqrt", f"{_ITEM_MEANS}:slope_of_root"),
    ),
    Metric(
        "max_error",
        f"{_ITEM_MEANS}:max_error",
        "lower",
        "Largest absolute error of an item mean.",
        traits=Traits("jumps", unit_power=1, follows_one_item=True, score_range=(0.0, 1.0)),
        form=f"{_FORMS}:Largest",
    ),
    Metric(
        "wins_mae",
        f"{_ITEM_MEANS}:wins_mae",
        "higher",
        "Share of items on which A's mean is nearer to gold, minus the share on which B's is.",
        kind="comparison",
        parameters=_TOLERANCE,
        source=_WEIN,
        additive=True,
        traits=_WINS,
        counts=FromCounts(f"{_COUNTS}:wins", "item"),
        noun="share of items won",
    ),
    Metric(
        "spearman",
        f"{_CORRELATIONS}:spearman",
        "higher",
        "Spearman's rank correlation of the item means; NaN for a constant.",
        source="Spearman 1904, The proof and measurement of association between two things",
        traits=Traits("smooth", _ORDER, score_range=(-1.0, 1.0)),
        form=f"{_FORMS}:Ranks",
    ),
    Metric(
        "pearson",
        f"{_CORRELATIONS}:pearson",
        "higher",
        "Pearson's correlation of the item means; NaN for a constant.",
        source="Pearson 1896, Mathematical contributions to the theory of evolution, III",
        traits=Traits("smooth", ("location", "scale"), score_range=(-1.0, 1.0)),
        form=f"{_FORMS}:Correlations",
    ),
    Metric(
        "kendall",
        f"{_CORRELATIONS}:kendall",
        "higher",
        "Kendall's rank correlation (τ-b) of the item means; NaN for a constant.",
        source="Kendall 1945, The treatment of ties in ranking problems",
        traits=Traits("smooth", _ORDER, score_range=(-1.0, 1.0)),
        form=f"{_TABLES}:kendall_table",
    ),
    Metric(
        "mean",
        f"{_ITEM_MEANS}:mean",
        "higher",
        "Mean of the system's own item means; gold is not used.",
        needs_gold=False,
        additive=True,
        traits=Traits("linear", unit_power=1, score_range=(0.0, 1.0)),
        counts=FromCounts(f"{_COUNTS}:own_mean", "response"),
    ),
    Metric(
        "mean_cost",
        f"{_ITEM_MEANS}:mean",
        "lower",
        "Mean of the system's own item means, if they are errors, losses or times; gold is not used.",
        needs_gold=False,
        additive=True,
        traits=Traits("linear", unit_power=1, score_range=(0.0, 1.0)),
        noun="mean",
    ),
    Metric(
        "wins_mae_vectorized",
        f"{_PAIRED}:wins_mae_vectorized",
        "higher",
        "Share of paired responses in which A's is nearer to gold, minus the share in which B's is.",
        needs="responses",
        kind="comparison",
        parameters=_TOLERANCE,
        source=_WEIN,
        traits=_WINS,
        form=f"{_FORMS}:sums_if_complete",
    ),
    Metric(
        "cosine",
        f"{_PAIRED}:cosine",
        "lower",
        "Cosine distance between the vectors of all paired responses; NaN for a vector of zeros.",
        needs="responses",
        source=_WEIN,
        traits=Traits("smooth", ("scale",), score_range=(0.0, 2.0)),
        form=f"{_FORMS}:Cosines",
    ),
    Metric(
        "emd_aggregated",
        f"{_DISTRIBUTIONAL}:emd_aggregated",
        "lower",
        "Earth mover's (1-Wasserstein) distance between the distributions of item means.",
        source=_RUBNER,
        traits=_ERROR,
        form=f"{_FORMS}:Distances",
    ),
    Metric(
        "emd_aggregated_vectorized",
        f"{_DISTRIBUTIONAL}:emd_aggregated_vectorized",
        "lower",
        "Earth mover's (1-Wasserstein) distance between the distributions of all responses.",
        needs="responses",
        source=_RUBNER,
        traits=_ERROR,
        form=f"{_FORMS}:distances_if_complete",
    ),
    Metric(
        "mean_of_emds",
        f"{_DISTRIBUTIONAL}:mean_of_emds",
        "lower",
        "Mean over items of the earth mover's (1-Wasserstein) distance between an item's responses.",
        needs="responses",
        source=_RUBNER,
        additive=True,
        traits=_ERROR,
        counts=FromCounts(f"{_COUNTS}:earth_movers", "response"),
    ),
    *(
        Metric(
            name,
            f"{_ITEM_MEANS}:by_threshold",
            "higher",
            summary,
            parameters=_THRESHOLD,
            arguments=(("measure", float(place)),),
            traits=Traits("jumps", mean_over_items=name == "accuracy", score_range=(0.0, 1.0)),
            form=f"{_TABLES}:threshold_table",
        )
        for place, (name, summary) in enumerate(_BY_THRESHOLD)
    ),
    Metric(
        "auc",
        f"{_ITEM_MEANS}:auc",
        "higher",
        "Area under the ROC curve of the item means for positive gold; NaN with one class only.",
        parameters=_THRESHOLD,
        traits=Traits("jumps", _ORDER, score_range=(0.0, 1.0)),
        form=f"{_TABLES}:auc_table",
    ),
    *(
        Metric(
            name,
            "nbyk.metrics.trials:trials",
            "higher",
            summary,
            needs="responses",
            needs_gold=False,
            parameters=_TRIALS if name == "best_of" else _PASSES,
            source=source,
            arguments=(("measure", float(place)),),
            additive=True,
            takes_trials=True,
            traits=_ERROR if name == "best_of" else _JUMPS,
        )
        for place, (name, summary, source) in enumerate(_OF_TRIALS)
    ),
)
