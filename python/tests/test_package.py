"""The package as others see it: types, version, the README's example."""

from __future__ import annotations

import ast
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterable

import manyarms
from manyarms import _core

ROOT = pathlib.Path(__file__).parents[2]


def run(*command: str, cwd: pathlib.Path) -> None:
    done = subprocess.run(
        [sys.executable, *command], cwd=cwd, capture_output=True, text=True, check=False,
        env=os.environ | {"MYPY_CACHE_DIR": str(cwd / "cache")},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_version_is_that_of_the_library() -> None:
    text = (ROOT / "CMakeLists.txt").read_text()
    assert f"project(manyarms VERSION {manyarms.__version__} " in text


def test_everything_public_is_documented() -> None:
    for name in manyarms.__all__:
        if name.startswith("__"):
            continue
        thing = getattr(manyarms, name)
        assert thing.__doc__, name
    for name, member in vars(manyarms.Bandit).items():
        if not name.startswith("_") and callable(member):
            assert member.__doc__, name


def test_every_search_can_be_named_and_has_a_public_class() -> None:
    signature = (manyarms.Bandit.__init__.__doc__ or "").splitlines()[0]
    match = re.search(r"search: typing.Literal\[(.*?)\] \| (.*?) = ", signature)
    assert match is not None
    names, classes = match[1].split(", "), match[2].split(" | ")
    assert len(names) == len(classes) >= 5
    for name, kind in zip(names, classes):
        assert kind in manyarms.__all__
        options = getattr(manyarms, kind)()
        assert manyarms.Bandit(2, search=ast.literal_eval(name)).search == options
        assert options.__doc__ and options.__init__.__doc__


def test_types_of_the_package_and_its_stubs(tmp_path: pathlib.Path) -> None:
    config = ["--config-file", str(ROOT / "pyproject.toml")]
    run("-m", "mypy", *config, "-p", "manyarms", cwd=tmp_path)


def public(names: Iterable[str]) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def test_stubs_have_what_the_module_has() -> None:
    """mypy's own stubtest takes nanobind's classes and functions for something
    else, so that names are compared here."""
    tree = ast.parse(pathlib.Path(_core.__file__).with_name("_core.pyi").read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
    values = {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign)
              and isinstance(n.target, ast.Name)}
    assert public(classes.keys() | functions | values) == public(vars(_core))
    for name, node in classes.items():
        methods = {m.name for m in node.body if isinstance(m, ast.FunctionDef)}
        assert public(methods) == public(vars(getattr(_core, name))), name


def test_types_of_those_who_use_it(tmp_path: pathlib.Path) -> None:
    (tmp_path / "good.py").write_text(
        "import manyarms\n"
        "import numpy as np\n"
        "bandit = manyarms.Bandit(dim=2, policy='ts', seed=1)\n"
        "bandit.add_arms(['a'], np.ones((1, 2), dtype=np.float32))\n"
        "decision: manyarms.Decision = bandit.choose(eligible=['a'])\n"
        "arm: int | str = decision.arm\n"
        "bandit.learn(decision, 1.0)\n"
        "bandit.learn(decision.id, 1)\n"
        "bandit.add_arms(['b', 'c'], [[1, 0.5], [0, 2]])\n"
        "bandit.update_arms(['b'], [np.array([1, 2])])\n"
        "bandit.observe_features([1, 2], 0.5)\n"
        "one: float = bandit.predict([1, 2.5])\n"
        "some: np.typing.NDArray[np.float64] = bandit.predict([[1, 2.5]])\n"
        "also: np.typing.NDArray[np.float64] = bandit.predict(np.ones((1, 2)))\n"
        "and_this: np.typing.NDArray[np.float64] = bandit.predict(also.reshape(1, 2))\n"
        "unknown: np.typing.NDArray[np.float32] = np.ones((1, 2), dtype=np.float32)\n"
        "bandit.predict(unknown)[0]\n"
        "feed = manyarms.Bandit(dim=2, context_dim=2, context_constants=False)\n"
        "feed.choose(context=[1, 0.5]).arm\n"
        "feed.choose_many(2, 'draws', contexts=np.ones((2, 2)))[0].arm\n"
        "feed.observe('a', 1.0, context=np.ones(2, dtype=np.float32))\n"
        "in_context: float = feed.predict([1, 2.5], context=[1, 0])\n"
        "in_contexts: np.typing.NDArray[np.float64] = feed.predict([[1, 2]], contexts=[[1, 0]])\n"
        "users = manyarms.Population(dim=2, context_dim=2)\n"
        "users.choose_for(['a', 'b'], contexts=[[1, 0], [0, 1]])\n"
        "client = manyarms.Client(timeout=1, retries=0)\n"
        "shop = client.create('shop', 2, search=manyarms.Scan(), reward_wait=60.0)\n"
        "shop.add_arms(['a'], np.ones((1, 2), dtype=np.float32), tags=[{'red'}])\n"
        "chosen: manyarms.ServedDecision = shop.choose('a', context=[1], tags='red')\n"
        "learned: bool = shop.learn(chosen, 1.0).learned or shop.learn('event', 1).learned\n"
        "served: float = shop.predict('a', [1, 2.5])\n"
        "several: np.typing.NDArray[np.float64] = shop.predict(7, [[1, 2.5]])\n"
        "best: list[manyarms.ExpectedReward] = shop.best('a', 3)\n"
    )
    run("-m", "mypy", "--strict", "good.py", cwd=tmp_path)
    for line in ("bandit.learn(decision)", "bandit.add_arms({1}, np.ones((1, 2)))",
                 "manyarms.Bandit(dim='2')", "bandit.chose()",
                 "bandit.predict([1, 2])[0]", "bandit.predict('ab')",
                 "shop.learn(1.5, 1.0)", "shop.choose(1.5)", "client.create('a')",
                 "shop.best()[0].reward", "feed.choose(context='ab')", "feed.predict([1, 2], contexts=[[1, 0]])"):
        (tmp_path / "bad.py").write_text((tmp_path / "good.py").read_text() + line + "\n")
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "bad.py"],
                              cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 1, line


def test_the_readme_s_example(tmp_path: pathlib.Path) -> None:
    text = (ROOT / "README.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "example.py").write_text(example)
    run("example.py", cwd=tmp_path)


def test_the_manual_s_example_of_contexts(tmp_path: pathlib.Path) -> None:
    text = (ROOT / "docs" / "python.md").read_text().split("\n## Contexts\n")[1]
    example = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    (tmp_path / "example.py").write_text(example + "assert np.abs(bandit.mean - M).max() < 0.5\n")
    run("example.py", cwd=tmp_path)


def test_the_manual_s_example_of_a_log_that_can_be_evaluated(tmp_path: pathlib.Path) -> None:
    text = (ROOT / "docs" / "log.md").read_text().split("\n## A log that can be evaluated\n")[1]
    example = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    check = (
        "best = (items @ [0.3, 0, -0.2, 0.1]).max()\n"
        "assert result.evaluated == 1_000\n"
        # The value has a standard error of 0.004, the mean weight one of 0.02.
        "assert abs(result.dr.value - best) < 0.02\n"
        "assert result.logged.value < best - 0.03\n"
        "assert abs(result.weights.mean - 1) < 0.1\n"
    )
    (tmp_path / "example.py").write_text(example + check)
    run("example.py", cwd=tmp_path)


def test_the_manual_s_example_of_clicks(tmp_path: pathlib.Path) -> None:
    text = (ROOT / "docs" / "python.md").read_text().split("\n## Clicks and forgetting\n")[1]
    example = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    check = "assert abs(ads.predict(X[best]) - 1 / (1 + np.exp(-X[best] @ theta))) < 0.1\n"
    (tmp_path / "example.py").write_text(example + check)
    run("example.py", cwd=tmp_path)
