# Every data set at hand: a prior fitted to each, p-values at the configured sizes and ε, and one report.


@cache
def data_sets():
    """The sources whose ratings are at hand, and those that the configuration asks for, in one order always."""
    asked = [source for source in run.sources if run.has_ratings(source)]
    chosen = {*run.at_hand(DOWNLOADS), *asked}
    return [
        source for source in (*run.own_ratings, *source_names()) if source in chosen
    ]


@cache
def usable_items(source):
    """The items of a source that have at least two ratings: as many as a test set of real gold can have.

    Before there is a copy to count in, or if it is damaged, they are all items: `reference` then refuses more than
    there are, and `normalise` what is wrong.
    """
    if source in run.own_ratings:
        return int((own_counts(source) >= 2).sum())
    entry = source_named(source)
    if run.downloaded(source) and entry.rated_twice:
        return entry.n_items
    copies = [
        entry.copy_in(folder)
        for folder in (Path(DOWNLOADS), run.downloads.chosen_folder)
        if run.downloaded(source) and is_complete(entry, folder)
    ]
    try:
        ratings = load_source(
            source, run.ratings.get(source) or next(iter(copies), None)
        )
    except NbykError:
        return entry.n_items
    return int((ratings.counts() >= 2).sum())


def data_set_cells():
    """Every cell of the data sets; a size with more items than a data set has is cut to it."""
    return [
        road.Place(semantics, source, epsilon, n, k, run.epsilon_a)
        for source in data_sets()
        for semantics in ("recommended", "published")
        if semantics == "recommended"
        or (semantics in run.semantics and source in road.PRIORS)
        for n, k in dict.fromkeys(
            (min(size.n_items, usable_items(source)), size.k_responses)
            for size in run.sizes
        )
        for epsilon in run.epsilons
    ]


def data_set_p_values(wildcards):
    return [f"results/{file}" for file in road.p_value_files(run, data_set_cells())]


rule datasets_report:
    input:
        pvalues=data_set_p_values,
        ratings=lambda wildcards: expand(
            "results/ratings/{source}.parquet", source=data_sets()
        ),
        priors=lambda wildcards: expand(
            "results/fits/{source}/prior.json", source=data_sets()
        ),
        checks=lambda wildcards: expand(
            "results/fits/{source}/check.json", source=data_sets()
        ),
    output:
        expand("results/datasets/summary.{suffix}", suffix=["csv", "md", "tex"]),
        "results/datasets/pvalues.csv",
        expand(
            "results/datasets/figures/{source}.{suffix}",
            source=data_sets(),
            suffix=["png", "svg"],
        ),
        report="results/datasets/report.html",
    log:
        "logs/datasets.log",
    benchmark:
        "logs/benchmarks/datasets.tsv"
    threads: 1
    resources:
        mem_mb=memory(324),
        runtime=minutes(12),
    params:
        data_sets=lambda wildcards, input: (
            options("--source", data_sets())
            + options("--ratings", input.ratings)
            + options("--prior", input.priors)
            + options("--check", input.checks)
        ),
        seed=run.seed,
        code=lambda wildcards: code("nbyk_papers.datasets.commands:report"),
    message:
        "Writing the report on every data set at hand"
    shell:
        "nbyk study datasets-report {params.data_sets:q} --seed {params.seed}"
        " --out results/datasets -- {input.pvalues:q} > {log} 2>&1"


# The cells are listed when they are asked for, since that may read ratings.
rule datasets:
    input:
        data_set_p_values,
        rules.datasets_report.output,
    message:
        "All of results/datasets is there"
