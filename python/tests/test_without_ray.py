"""The package where Ray is not installed."""

from __future__ import annotations

import subprocess
import sys

# As if there were no such package, whether there is one or not.
_WITHOUT_RAY = "import sys; sys.modules['ray'] = None\n"


def run(code: str, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", _WITHOUT_RAY + code, *args],
                          capture_output=True, text=True, check=False)


def test_everything_else_works() -> None:
    done = run("import manyarms, numpy as np\n"
               "bandit = manyarms.Bandit(2)\n"
               "bandit.add_arms([1, 2], np.eye(2))\n"
               "bandit.learn(bandit.choose(), 1.0)\n")
    assert done.returncode == 0, done.stderr


def test_the_error_says_what_to_install() -> None:
    for code in ("import manyarms.cluster", "import manyarms; manyarms.cluster"):
        done = run(code)
        assert done.returncode == 1
        assert "ImportError: manyarms.cluster needs Ray" in done.stderr
        assert "pip install 'manyarms[ray]'" in done.stderr


def test_the_program_says_what_to_install() -> None:
    for args in (["cluster", "status"], ["reproduce", "--ray", "auto"]):
        done = run("from manyarms._program import main; main()", *args)
        assert done.returncode == 2
        assert done.stderr == ("manyarms: manyarms.cluster needs Ray, which is not installed: "
                               "pip install 'manyarms[ray]'\n")
