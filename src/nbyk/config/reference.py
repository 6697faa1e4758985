"""The reference of the configuration: a page for people, a schema for editors."""

from __future__ import annotations

import json

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from nbyk.config.whole import BY_NAME, config_model, config_sections


def json_schema() -> str:
    """Return the JSON schema of the configuration, for editors that check YAML as it is typed."""
    return json.dumps(config_model().model_json_schema(), indent=2, ensure_ascii=False) + "\n"


def reference_page() -> str:
    """Return the config reference as Markdown: every key with its default and meaning."""
    lines = [
        "# Configuration",
        "",
        "<!-- Written by `nbyk config reference`; edit src/nbyk/config instead. -->",
        "",
        "This page lists every key of `config.yaml`. If you leave out a key, it has its default. If a key",
        "does not exist or a value is out of range, the run stops before its first job.",
        "",
        "| key | default | meaning |",
        "|---|---|---|",
    ]
    lines += _reference_rows(config_model())
    for name, section in config_sections().items():
        shown = f"{name}.NAME" if name in BY_NAME else name
        lines += ["", f"## `{shown}`", "", f"{section.__doc__}", ""]
        lines += ["| key | default | meaning |", "|---|---|---|", *_reference_rows(section)]
    return "\n".join(lines) + "\n"


def _reference_rows(section: type[BaseModel]) -> list[str]:
    rows = []
    for name, field in section.model_fields.items():
        shown = ""
        if not field.is_required() and name not in config_sections().keys() - BY_NAME:
            shown = f"`{json.dumps(to_jsonable_python(field.default), ensure_ascii=False)}`"
        rows.append(f"| `{name}` | {shown} | {' '.join(str(field.description).split())} |")
    return rows
