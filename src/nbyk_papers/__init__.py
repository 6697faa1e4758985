"""The papers that nbyk reproduces, and the calibration of its tests: a folder each; nbyk imports none."""


def placed(semantics: str, name: str) -> str:
    """Return the place of a table or figure: the paper's own numbers have no folder, ours have their own."""
    return name if semantics == "published" else f"{semantics}/{name}"
