"""What others read of nbyk says the same everywhere: versions, needs, addresses, and how to cite it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import nbyk

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ENVIRONMENT = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
CONDA_NAMES = {"matplotlib": "matplotlib-base", "snakemake": "snakemake-minimal"}
WORKFLOW = {"snakemake-minimal>=9", "snakemake-executor-plugin-slurm>=2.8", "pip"}


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def needs() -> set[str]:
    """Return what nbyk needs, as conda calls it."""
    found = {"python" + PROJECT["requires-python"], *PROJECT["dependencies"]}
    return {re.sub(r"^[a-z]+", lambda name: CONDA_NAMES.get(name[0], name[0]), need) for need in found}


def recipe() -> dict[str, Any]:
    """Return conda's recipe, with the few values in it that a template fills in."""
    text = "\n".join(line for line in read("envs/conda/meta.yaml").splitlines() if not line.startswith("{%"))
    found: dict[str, Any] = yaml.safe_load(
        text.replace("{{ version }}", "VERSION").replace("{{ PYTHON }}", "python")
    )
    return found


def test_one_version_everywhere() -> None:
    citation = yaml.safe_load(read("CITATION.cff"))
    (of_recipe,) = re.findall(r'set version = "(.*?)"', read("envs/conda/meta.yaml"))
    assert {PROJECT["version"], citation["version"], of_recipe} == {nbyk.__version__}


def test_conda_asks_for_what_pip_asks_for() -> None:
    of_recipe = {need.replace(" ", "") for need in recipe()["requirements"]["run"]}
    assert of_recipe == needs()
    of_environment = {
        need.replace(" ", "") for need in yaml.safe_load(read("envs/environment.yaml"))["dependencies"]
    }
    assert of_environment == needs() | WORKFLOW


def test_the_recipe_makes_the_command() -> None:
    assert recipe()["build"]["entry_points"] == [
        f"{name} = {place}" for name, place in PROJECT["scripts"].items()
    ]


def test_one_address_everywhere() -> None:
    """All three files name the same address of the source, or none does."""
    said = [recipe()["about"].get("home"), yaml.safe_load(read("CITATION.cff")).get("repository-code")]
    assert said == 2 * [PROJECT["urls"].get("Source")]
    assert all(address.startswith("https://") for address in PROJECT["urls"].values())


def test_the_citation_has_the_form_of_the_citation_file_format() -> None:
    schema = json.loads(read("tests/packaging/cff-1.2.0.schema.json"))
    citation = json.loads(json.dumps(yaml.safe_load(read("CITATION.cff")), default=str))
    jsonschema.validate(citation, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(citation | {"type": "leaflet"}, schema)


def test_the_container_copies_what_is_there_and_the_catalogue_finds_the_workflow() -> None:
    copied = re.findall(r"^COPY (\S+)", read("envs/Containerfile"), re.MULTILINE)
    assert copied
    assert all((ROOT / path).exists() for path in copied)
    catalogue = yaml.safe_load(read(".snakemake-workflow-catalog.yml"))
    assert set(catalogue["usage"]) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert read("config/README.md").startswith("# Configuration")


def test_the_catalogues_snakefile_plans_the_default_run(tmp_path: Path) -> None:
    shutil.copy2(ROOT / "config.yaml", tmp_path)
    words = [
        "snakemake",
        "--snakefile",
        ROOT / "workflow/Snakefile",
        "--directory",
        tmp_path,
        "--dry-run",
        "--cores",
        "1",
    ]
    planned = subprocess.run([*map(str, words)], capture_output=True, text=True, env=ENVIRONMENT)
    assert planned.returncode == 0, planned.stderr
    assert re.search(r"^estimate_p +10$", planned.stdout + planned.stderr, re.MULTILINE)


def test_continuous_integration_covers_the_versions_that_the_classifiers_name() -> None:
    matrix = yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]["test"]["strategy"]["matrix"]
    named = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if "Python :: 3." in name]
    assert matrix["python"] == named == ["3.11", "3.12", "3.13", "3.14"]


def test_every_rule_that_runs_a_command_names_its_environment_of_conda() -> None:
    named = 0
    for path in (ROOT / "workflow/rules").glob("*.smk"):
        _, *rules = re.split(r"^ *rule(?: \w+)?:$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for rule in rules:
            environments = re.findall(r'^ +conda:\n +"(.*)"$', rule, re.MULTILINE)
            assert len(environments) == bool(re.search(r"^ +shell:$", rule, re.MULTILINE)), path
            assert all(
                (path.parent / name).resolve() == ROOT / "envs/environment.yaml" for name in environments
            )
            named += len(environments)
    assert named
    assert os.access(ROOT / "envs/environment.post-deploy.sh", os.R_OK)
