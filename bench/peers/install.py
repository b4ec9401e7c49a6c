"""Makes the virtual environment of the rivals."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

from .words import complaint, say

REQUIREMENTS = pathlib.Path(__file__).resolve().parent / "requirements.txt"
# Packages that the part with contexts does not need, some of which are large.
WITHOUT_CONTEXTS = ("hnswlib", "faiss-cpu", "usearch", "river", "obp")
ROOT = REQUIREMENTS.parent.parent.parent


def make_environment(venv: pathlib.Path) -> pathlib.Path:
    python = venv / "bin" / "python"
    if not python.exists():
        say(f"making {venv.name}")
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    return python


def install(python: pathlib.Path, parts: list[str]) -> dict[str, str]:
    """Installs the packages of these parts. Returns those that failed, with the
    reasons."""
    wanted = [line.strip() for line in REQUIREMENTS.read_text().splitlines()
              if line.strip() and not line.startswith("#")]
    problems = {}
    for what in [*wanted, str(ROOT)]:
        name = "manyarms" if what == str(ROOT) else re.split(r"[=<>~!]", what)[0]
        if "arms" not in parts and name in WITHOUT_CONTEXTS:
            continue
        say(f"installing {name}")
        run = subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--constraint",
             REQUIREMENTS, what], check=False, capture_output=True, text=True)
        if run.returncode != 0:
            problems[name] = complaint(run.stdout + run.stderr)
            say(f"  {problems[name]}")
    return problems
