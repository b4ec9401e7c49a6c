"""All adapters."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

import manyarms
from manyarms import adapters
from manyarms.adapters import _numbers
from manyarms.adapters._untaught import OPTIONS, untaught


def test_adapters_need_no_other_library_until_they_are_used():
    code = (
        "import sys\n"
        "for name in ('mabwiser', 'obp', 'river'): sys.modules[name] = None\n"
        "import manyarms.adapters as adapters\n"
        "mab = adapters.mabwiser.MAB([1, 2], adapters.mabwiser.LearningPolicy.LinUCB())\n"
        "mab.fit([1], [1.0], [[1.0]])\n"
        "policy = adapters.obp.Policy([[1.0], [2.0]])\n"
        "policy.update_params(policy.select_action()[0], 1.0)\n"
        "try: policy.policy_type\n"
        "except ImportError as error: print(error)\n"
        "try: adapters.river\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "pip install obp" in done.stdout
    assert "pip install river" in done.stdout


def test_a_bandit_begins_again_with_all_options():
    (signature, *_), *_ = manyarms.Bandit.__init__.__nb_signature__
    # half_life is another way to say what forgetting is.
    assert set(re.findall(r"(\w+): ", signature)) == {*OPTIONS, "half_life"}
    bandit = manyarms.Bandit(2, prior=manyarms.Prior([1.0, 2.0], np.eye(2)))
    bandit.add_arms(["a"], [[1.0, 1.0]])
    bandit.observe("a", 9.0)
    again = untaught(bandit)
    assert again.scores(["a"])[0] == 3.0 < bandit.scores(["a"])[0]
    assert untaught(manyarms.Bandit(2), seed=7).seed == 7


def test_there_are_no_others():
    with pytest.raises(AttributeError, match="no attribute 'banditlib'"):
        adapters.banditlib  # noqa: B018


def test_bounds_are_the_librarys():
    bandit = manyarms.Bandit(1, context_dim=1)
    bandit.add_arms([0], [[1.0]])

    def takes(name, value):
        if name == "reward":
            return bandit.observe(0, value, context=[1.0])
        if name == "context":
            return bandit.choose(context=[value])
        return bandit.update_arms([0], [[value]])

    for name, most in (
        ("context", _numbers.MOST_IN_CONTEXTS),
        ("feature", _numbers.MOST_IN_FEATURES),
        ("reward", _numbers.MOST_IN_REWARDS),
    ):
        takes(name, most)
        bound = re.escape(f"at most {most:g} in magnitude")
        with pytest.raises(manyarms.errors.InvalidArgumentError, match=bound):
            takes(name, most * 1.001)
