"""The sections of the configuration that are nbyk's own; studies add theirs."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from nbyk.config.values import DataPath, DesignName, ScaleText
from nbyk.data.download import default_folder, default_mirror


class Section(BaseModel):
    """A section of the configuration: no key that it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class SizeSection(Section):
    """The number of items and of responses per item in a test set."""

    n_items: int = Field(1000, ge=2)
    """Items N of a test set."""
    k_responses: int = Field(5, ge=1)
    """Responses per item K of the gold and of either system."""


class OwnRatings(Section):
    """A table of ratings of your own."""

    path: DataPath
    """Path of the table. nbyk reads it as `nbyk.read_ratings` does."""
    scale: ScaleText
    """Scale of its values: levels (1,2,3,4,5), two ends (0..100) or binary."""


class Downloads(Section):
    """Downloads of published ratings, by `nbyk data fetch` and by the workflow (docs/data.md)."""

    folder: DataPath | None = None
    """Folder of downloads. By default the value of the variable NBYK_DATA. Without it, nbyk's folder in
    your cache."""
    mirror: DataPath | None = None
    """Address below which the files lie as SOURCE/FILE, or a folder with that layout. By default the value of
    the variable NBYK_MIRROR. Without it, nbyk downloads from the makers of the data."""

    @property
    def chosen_folder(self) -> Path:
        """The folder of downloads."""
        return default_folder(self.folder)

    @property
    def chosen_mirror(self) -> str | None:
        """The mirror, if there is one."""
        return default_mirror(self.mirror)


class Labels(Section):
    """Comparisons of classifiers by their labels (docs/labels.md). `snakemake labels` runs them all."""

    designs: dict[DesignName, DataPath] = Field({})
    """Designs in YAML, each under a name that you choose: {sentiment: designs/sentiment.yaml}."""
