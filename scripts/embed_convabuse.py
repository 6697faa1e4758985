"""Write the ConvAbuse ratings that nbyk embeds, from the three splits that their authors publish.

The splits are the folder 2_splits of https://github.com/amandacurry/convabuse at commit
c0a9469f48956e868276c605d499010ea3c7c0d0. The same splits always give the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from nbyk.data import Ratings
from nbyk.data.reading import table_of
from nbyk.errors import DataPlace, NbykError
from nbyk.files import write_text

SPLITS = ("train", "valid", "test")
ANNOTATORS = [f"Annotator{number}" for number in range(1, 9)]
SCORES = (1, 0, -1, -2, -3)
EMBEDDED = Path(__file__).resolve().parent.parent / "src" / "nbyk" / "data" / "embedded" / "convabuse.csv"


def read_splits(paths: Sequence[Path]) -> Ratings:
    """Return the raw scores of the splits, from −3 (very strongly abusive) to 1 (not abusive).

    Each row of ``ConvAbuseEMNLP{train,valid,test}.csv`` is one item. Its id is ``example_id``, which no
    two rows of the three files share, without the ``.0`` that it ends in there. Five cells hold
    an annotator's score one-hot, ``AnnotatorJ_is_abuse.S`` for the score S; all five are empty if there is
    none. Where one did so two or three times, each cell lists its values in turn (``"1, 0"``), and
    the first time counts, so that the ratings of an item are of different people; the LeWiDi shared task's
    edition of the data also keeps the first of two.
    """
    items: list[str] = []
    raters: list[str] = []
    scores: list[float] = []
    places: list[DataPlace] = []
    for path in paths:
        table = table_of(path)
        hint = "expected an upstream ConvAbuseEMNLP{train,valid,test}.csv"
        cells_of = {
            name: [table.column(f"{name}_is_abuse.{score}", hint) for score in SCORES] for name in ANNOTATORS
        }
        for row, example in enumerate(table.column("example_id", hint)):
            at = table.at(row)
            rated = {name: [cells[row] for cells in columns] for name, columns in cells_of.items()}
            rated = {name: cells for name, cells in rated.items() if any(cells)}
            if not rated:
                raise at.error(f"no annotator rated example_id {example!r}; delete the row")
            items += [example.removesuffix(".0")] * len(rated)
            raters += rated
            scores += [first_score(cells, at, name) for name, cells in rated.items()]
            places += [at] * len(rated)
    return Ratings.from_columns(items, raters, scores, at=places.__getitem__)


def first_score(cells: Sequence[str], at: DataPlace, annotator: str) -> float:
    """Return the first score in an annotator's five cells, each of which lists one or more 0s and 1s."""
    times = [cell.split(", ") for cell in cells]
    same_length = len({len(cell) for cell in times}) == 1
    if same_length and all(sorted(once) == ["0", "0", "0", "0", "1"] for once in zip(*times, strict=True)):
        return float(SCORES[[cell[0] for cell in times].index("1")])
    raise at.error(
        f"{annotator}_is_abuse is {cells}; expected 1 in one cell and 0 in the others, or all empty: get the "
        "file again from upstream"
    )


def wide_csv(ratings: Ratings) -> str:
    """Return the ratings as CSV with one row per item and one column per rater, empty where missing."""
    raters = sorted(ratings.raters)
    cells: dict[str, dict[str, int]] = {name: {} for name in ratings.items}
    for item, rater, value in zip(ratings.item_index, ratings.rater_index, ratings.values, strict=True):
        cells[ratings.items[item]][ratings.raters[rater]] = int(value)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["item", *raters])
    writer.writerows([name, *(row.get(rater, "") for rater in raters)] for name, row in cells.items())
    return text.getvalue()


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("splits", type=Path, help="folder with ConvAbuseEMNLP{train,valid,test}.csv")
    parser.add_argument(
        "--output", type=Path, default=EMBEDDED, help="file to write (default: the embedded one)"
    )
    arguments = parser.parse_args()
    try:
        ratings = read_splits([arguments.splits / f"ConvAbuseEMNLP{split}.csv" for split in SPLITS])
    except NbykError as error:
        print(error, file=sys.stderr)
        return 2
    write_text(arguments.output, wide_csv(ratings))
    print(
        f"wrote {arguments.output}: {ratings.n_items} items, {ratings.n_ratings} ratings "
        f"by {len(ratings.raters)} annotators, {arguments.output.stat().st_size} bytes"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
