"""The parameters of `nbyk compare`, which are keys of the configuration too, and what data take them."""

from __future__ import annotations

OF_ITEMS = {
    *("gold", "metric", "metric_file", "classes", "null", "interval", "generalise", "rater_ids", "run_ids"),
    *("scale", "cluster", "rater", "gold_item", "gold_rater", "gold_value", "full", "max_resamples"),
    *("max_draws", "suite", "weights", "looks"),
}
OF_SCORES = {"test", "tau", "lift", "shift"}
OF_EITHER = {"kind", "lower_is_better", "pair_runs", "n_resamples", "task", "filter_", "margin"}
OF_JUDGE = {"judge_name", "counts", "chance", "batch", "slices"}
"""Parameters that mean something for responses to items, scores of runs, either, or a judge alone."""

OF_GOLD = {"gold_item", "gold_rater", "gold_value"}
OF_ROWS = {"item", "value", "system", "on_missing", "on_duplicates", "on_empty"}
NOT_OF_VOTES = OF_ITEMS.union(OF_SCORES, OF_EITHER, OF_JUDGE, OF_ROWS) - {
    *("generalise", "looks", "item", "rater")
}
NOT_OF_JUDGE = OF_ITEMS.union(OF_SCORES, OF_EITHER, {"only"}) - {"scale", "rater"}
