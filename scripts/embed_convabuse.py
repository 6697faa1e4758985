"""Write the ConvAbuse ratings that nbyk embeds, from the three splits that their authors publish.

The splits are the folder 2_splits of https://github.com/amandacurry/convabuse at commit
c0a9469f48956e868276c605d499010ea3c7c0d0. The same splits always give the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from pathlib import Path

from nbyk.data import Ratings, parse_convabuse
from nbyk.errors import NbykError
from nbyk.files import write_text

SPLITS = ("train", "valid", "test")
EMBEDDED = Path(__file__).resolve().parent.parent / "src" / "nbyk" / "data" / "embedded" / "convabuse.csv"


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
        ratings = parse_convabuse([arguments.splits / f"ConvAbuseEMNLP{split}.csv" for split in SPLITS])
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
