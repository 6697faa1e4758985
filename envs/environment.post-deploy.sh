#!/usr/bin/env bash
# Snakemake runs this in the environment that it made of environment.yaml, in the folder where it was started.
set -euo pipefail
grep --quiet '^name = "nbyk"' pyproject.toml || {
    echo "error: found no nbyk in $PWD; start Snakemake in nbyk's folder" >&2
    exit 2
}
python -m pip install --no-deps .
