"""Sums of products against numpy's, and in an order of their own."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import nbyk
from nbyk.sums import covariance, polynomial, product, root, solve

DRAWS = np.random.default_rng(5)
SOURCE = Path(nbyk.__file__).parent
BLAS = re.compile(r"np\.(dot|vdot|inner|tensordot|matmul|cov|corrcoef|polyfit|convolve|correlate|linalg)\b")


@pytest.mark.quick
@pytest.mark.parametrize(
    ("left", "right"),
    [((7,), (7,)), ((7,), (7, 3)), ((4, 7), (7,)), ((4, 7), (7, 3)), ((2, 4, 7), (7,)), ((4, 7), (7, 3, 2))],
)
def test_products_are_those_of_numpy(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    a, b = DRAWS.normal(size=left), DRAWS.normal(size=right)
    np.testing.assert_allclose(product(a, b), np.tensordot(a, b, 1), rtol=1e-12)


def test_covariance_solutions_and_polynomials_are_those_of_numpy() -> None:
    x, y = DRAWS.normal(size=(2, 9))
    assert covariance(x, y) == pytest.approx(np.cov(x, y)[0, 1], rel=1e-12)
    matrix = DRAWS.normal(size=(4, 4))
    np.testing.assert_allclose(solve(matrix, x[:4]), np.linalg.solve(matrix, x[:4]), rtol=1e-9)
    np.testing.assert_allclose(solve(matrix, np.eye(4)), np.linalg.inv(matrix), rtol=1e-9)
    several, right = DRAWS.normal(size=(5, 4, 4)), DRAWS.normal(size=(5, 4))
    np.testing.assert_allclose(
        solve(several, right), np.linalg.solve(several, right[..., None])[..., 0], rtol=1e-9
    )
    place, weights = np.log(np.arange(1.0, 10.0)), 1.0 + x**2
    np.testing.assert_allclose(
        polynomial(place, y, 3, weights), np.polyfit(place, y, 3, w=weights), rtol=1e-8
    )


def test_a_root_gives_its_matrix_back_and_a_row_that_others_determine_adds_nothing() -> None:
    rows = DRAWS.normal(size=(4, 3))
    singular = product(rows, rows.T)
    lower = root(singular)
    np.testing.assert_allclose(product(lower, lower.T), singular, rtol=1e-9, atol=1e-9)
    assert not lower[:, 3].any()
    assert not np.triu(lower, 1).any()


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix()
)
def test_no_module_adds_in_an_order_that_depends_on_the_processor(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    found = [f"{node.lineno}: {ast.unparse(node)}" for node in names if BLAS.fullmatch(ast.unparse(node))]
    products = [node for node in ast.walk(tree) if isinstance(getattr(node, "op", None), ast.MatMult)]
    found += [f"{node.lineno}: {ast.unparse(node)}" for node in products if "int64" not in ast.unparse(node)]
    assert found == []
