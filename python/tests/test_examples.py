"""The examples run, quickly, and show what they promise."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

from serving import served

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "python"


def run(name, *args, status=0, without=()):
    """Output of an example, or its complaints if it should fail."""
    path = FOLDER / name
    # As python PATH does, but with some packages as if they were not installed.
    code = (
        "import runpy, sys\n"
        f"for name in {list(without)!r}: sys.modules[name] = None\n"
        f"sys.argv = {[str(path), *map(str, args)]!r}\n"
        f"runpy.run_path({str(path)!r}, run_name='__main__')\n"
    )
    command = [sys.executable, "-c", code] if without else [sys.executable, path, *args]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout


def numbers(text, pattern):
    """The groups of every line that matches, as floats."""
    found = [[float(group) for group in match.groups()] for match in re.finditer(pattern, text)]
    assert found, f"nothing like {pattern} in:\n{text}"
    return np.array(found)


def test_all_examples_are_tested_and_short():
    names = sorted(path.name for path in FOLDER.glob("*.py"))
    assert names == [
        "ads.py", "clicks.py", "evaluation.py", "first_steps.py", "from_mabwiser.py", "movielens.py",
        "news_feed.py", "served_shop.py", "users.py",
    ]
    for name in names:
        text = (FOLDER / name).read_text(encoding="utf-8")
        assert text.startswith('"""') and "def main()" in text
        assert len(text.splitlines()) < 100


def test_first_steps_learns_and_is_saved():
    out = run("first_steps.py")
    (best,) = numbers(out, r"would bring ([\d.]+)")[0]
    means = numbers(out, r"mean reward ([\d.]+)")[:, 0]
    assert len(means) == 4
    assert means[-1] > 0.9 * best
    assert "999 articles left" in out
    assert "the next 100 choices are the same" in out


def test_news_feed_learns_contexts_with_late_clicks():
    out = run("news_feed.py")
    rates = numbers(
        out, r"(\d+) % would click, without contexts (\d+) %, of random articles (\d+) %")
    assert len(rates) == 4
    assert np.all(rates[:, 1] > 3 * rates[:, 2])
    # Readers have little in common, and what they have does not grow with time.
    assert np.all(rates[1:, 0] > rates[1:, 1] + 15)
    clicks, delay = numbers(out, r"(\d+) clicks came, (\d+) steps late")[0]
    zeros, dismissed = numbers(out, r"(\d+) decisions got no click .* (\d+) were dismissed")[0]
    published, there, pending = numbers(
        out, r"(\d+) articles in all, (\d+) now; (\d+) decisions pending"
    )[0]
    assert delay > 10
    assert published == 1800 and there == 300
    # Each of the 6000 decisions came to one of four ends.
    assert clicks + zeros + dismissed + pending == 6000


def test_ads_are_shown_where_they_may_be():
    out = run("ads.py")
    allowed, shown = re.search(r"one of \[(.*)\]: (\d+)", out).groups()
    assert shown in allowed.split(", ")
    rates = numbers(out, r"([\d.]+) % clicked, by chance ([\d.]+) %; (\d+) budgets")
    assert len(rates) == 4
    assert np.all(rates[:, 0] > 1.5 * rates[:, 1])
    assert rates[-1, 2] > 0  # so that budgets did matter
    assert "0 adverts shown outside their target or beyond their budget" in out
    assert "lowest budget left: 0" in out


def test_evaluation_knows_policies_that_were_never_in_use(tmp_path):
    out = run("evaluation.py", tmp_path / "log.jsonl")
    (rule, best), = numbers(out, r"the rule earns (\S+), the best item (\S+)")
    estimates = numbers(out, r"(?:snips|dr): (\S+), 95 % interval (\S+) to (\S+)")
    truths = numbers(out, r"in truth: (\S+)").repeat(2)
    assert len(estimates) == len(truths) == 4
    # Seeds are fixed: all four intervals hold the truth, as 95 of 100 do.
    assert (estimates[:, 1] < truths).all() and (truths < estimates[:, 2]).all()
    assert (truths > rule + 0.1).all() and (truths <= best).all()


def test_clicks_are_followed_where_tastes_drift():
    out = run("clicks.py")
    linear, logistic, forgetting, best = numbers(
        out, r"linear ([\d.]+) %, logistic ([\d.]+) %, forgetting ([\d.]+) %.* ([\d.]+) %").T
    assert len(best) == 6
    # Before tastes change all three are good, and forgetting costs a little.
    assert np.all(np.minimum(linear, logistic)[:2] > 0.8 * best[:2])
    assert np.all(forgetting[:2] > 0.75 * best[:2])
    # Afterwards only one has noticed.
    assert np.all(forgetting[4:] > 0.8 * best[4:])
    assert np.all(np.maximum(linear, logistic)[4:] < 0.3 * best[4:])
    clicked, predicted = numbers(out, r"clicked by (\d+) %, predicted (\d+) %")[0]
    assert abs(clicked - predicted) < 10


def test_users_have_models_of_their_own():
    out = run("users.py")
    lost = numbers(out, r"([\d.]+) lost a choice .*, ([\d.]+) with one for all")
    assert len(lost) == 3
    # What users have in common is half of their tastes, and no more can be learned.
    assert lost[-1, 0] < 0.2 * lost[-1, 1]
    assert "200 learners take" in out


def test_a_served_shop_knows_its_visitors_in_all_processes(tmp_path):
    with served(tmp_path) as url:
        out = run("served_shop.py", url)
    assert "ArmsPut(added=5000, changed=0, arms=5000)" in out
    visits, purchases = numbers(out, r"(\d+) visits, (\d+) purchases")[0]
    rewards, defaults = numbers(out, r"(\d+) rewards learned, (\d+) of them by default")[0]
    assert visits == rewards == 3600 and purchases == rewards - defaults
    policy, low, _ = numbers(out, r"policy: ([\d.]+) % buy, 95 % interval ([\d.]+) to ([\d.]+)")[0]
    uniform, _, high = numbers(out, r"uniform: ([\d.]+) % buy, .* ([\d.]+) to ([\d.]+)")[0]
    # About 39 and 18 % in every run; some 360 uniform visits have a standard error of 2.
    assert policy > 1.5 * uniform and low > high
    assert "59 visitors are known" in out


MABWISER_ROW = r"\n{}.*?(-?[\d.]+) +(-?[\d.]+) +[\d.]+\n"


def test_from_mabwiser_without_it():
    out = run("from_mabwiser.py", without=["mabwiser"])
    assert re.search("before: .*not run: pip install mabwiser", out)
    after = numbers(out, MABWISER_ROW.format("after:"))
    after_all = numbers(out, MABWISER_ROW.format("after all:"))
    assert len(after) == 1 and np.array_equal(after, after_all)


def test_from_mabwiser_side_by_side():
    out = run("from_mabwiser.py")
    before = numbers(out, MABWISER_ROW.format("before:"))[0]
    same = numbers(out, MABWISER_ROW.format("same:"))[0]
    after = numbers(out, MABWISER_ROW.format("after:"))[0]
    (best,) = numbers(out, r"The best offers bring ([\d.]+)")[0]
    assert np.array_equal(before, same)
    assert np.all(before < 0.9 * after) and after[1] > 0.85 * best


def write_ratings(path, fields):
    """A hundred users with tastes in three dimensions, 300 movies, half rated."""
    rng = np.random.default_rng(8)
    tastes, movies = rng.normal(size=(100, 3)), rng.normal(size=(300, 3))
    stars = np.clip(np.rint(3 + tastes @ movies.T), 1, 5).astype(int)
    with open(path, "w", encoding="latin-1") as file:
        for user, movie in zip(*np.nonzero(rng.random(stars.shape) < 0.5)):
            row = [user + 1, 2 * movie + 7, stars[user, movie], 978300760]
            file.write("::".join(str(value) for value in row[:fields]) + "\n")


@pytest.mark.parametrize("fields", [3, 4])
def test_movielens_learns_tastes(tmp_path, fields):
    write_ratings(tmp_path / "ratings.dat", fields)
    out = run("movielens.py", tmp_path)
    assert "100 users, 50 of them" in out and "17 new users come after 33 others" in out
    rows = numbers(out, r"\d+ to +\d+ +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)\n")
    assert len(rows) == 4
    shared, independent, chance, best = rows.T
    # After five, more than halfway from chance to the best there is.
    assert np.all(np.minimum(shared, independent)[1:] > (chance + best)[1:] / 2)
    assert np.all(chance < shared)
    # New users begin with what the others have taught: 3.99 stars and 3.67.
    assert shared[0] > independent[0] + 0.1


def test_movielens_says_how_to_get_the_data(tmp_path):
    for complaint in (run("movielens.py", status=2), run("movielens.py", tmp_path, status=2)):
        assert "scripts/get-movielens ml-1m" in complaint
    assert f"no ratings.dat in {tmp_path}" in complaint
    assert (FOLDER.parents[1] / "scripts" / "get-movielens").exists()
