"""The typed configuration: the source of the defaults, the JSON schema and the config reference.

`load_config` reads a file; `validate` checks a mapping that Snakemake has already merged. Both raise an
error that names the file, the line and the key before any job starts.
"""

from nbyk.config.sections import Downloads
from nbyk.config.whole import (
    Config,
    check_files,
    config_model,
    json_schema,
    load_config,
    load_downloads,
    named_copies,
    reference_page,
    validate,
)

__all__ = [
    "Config",
    "Downloads",
    "check_files",
    "config_model",
    "json_schema",
    "load_config",
    "load_downloads",
    "named_copies",
    "reference_page",
    "validate",
]
