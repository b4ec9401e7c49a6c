"""The page, from its first line to its last."""

from __future__ import annotations

from . import contexts, sentences, tables
from .study import OURS, Study, micro

LARGE = (100_000, 1_000_000)


def front_sizes(study: Study) -> list[int]:
    """The sizes for the first tables; a trial with few arms shows its largest."""
    return [arms for arms in LARGE if arms in study.sizes] or study.sizes[-2:]


def opening(study: Study) -> list[str]:
    numpy = study.measured("numpy", 1_000)
    small = (f", among which plain NumPy takes {micro(numpy, 'choose_p50_us')} for a choice"
             if numpy else "")
    return [
        "# manyarms beside other libraries", "",
        "manyarms chooses among many arms by one linear model over the features of the arms. "
        "It finds the best arm of each draw, as a rule without looking at all of them.", "",
        "- **It helps** if your arms have features, if there are 10,000 of them or more, if "
        "they come and go, and if one model learns from all rewards.",
        "- **A context** may come with every choice, as long as its effect goes through the "
        "features of the arms.",
        "- **It does not help** if you need the exact probability of every choice for "
        "off-policy evaluation (those of Thompson sampling are estimated), or if "
        f"there are 1,000 arms or fewer{small}.", "",
        "All figures come from [these rows](peers.jsonl). `make bench-peers` measures them in "
        "about three quarters of an hour (`scripts/bench-peers --part contexts` the part with "
        "contexts in ten minutes), and `scripts/peers-page` makes this page from them.", ""]


def same_problem(study: Study) -> list[str]:
    sizes = front_sizes(study)
    steps = max(row["asked_steps"] for row in study.runs.values())
    largest = sizes[-1]
    paragraphs = [
        sentences.accuracy(study), sentences.tail(study, sizes),
        sentences.graphs(study, largest)]
    lines = [
        "## The same problem", "",
        f"Every library starts without any reward and makes {steps:,} steps through Python, "
        "with K arms of 16 features. A choice is a call that names an arm. All choices count, "
        "including the first ones.", "",
        *tables.by_size(study, sizes, tables.first_table),
        "- **Memory** is what the process has after all steps beyond what it had before the "
        "arms were made. The benchmark's own copy of the features, 64 bytes an arm, is part "
        "of it for everybody.",
        "- **Choice after that**: the median of up to 200 choices after one arm in a hundred "
        "was replaced. Replacing was timed once. A star means that the library cannot do it, "
        "and the time is that of a new set-up.",
        "- **Exact choices**: every choice is compared with a scan by the same parameter, in "
        "single precision. \"Certified\" means that the search proves each choice; our tests "
        "compare such choices with the scan.",
        "- **Vowpal Wabbit** draws arms by probabilities and keeps every arm as a parsed "
        "example, which explains its memory and its time before the first choice.", ""]
    for paragraph in paragraphs:
        lines += [paragraph, ""] if paragraph else []
    if claims := sentences.claims(study):
        lines += ["**Is a choice 20 times as fast as that of the others with 100,000 arms, and "
                  "100 times as fast with a million?**", "", *claims, ""]
    return lines + [
        "![A choice against the number of arms](plots/peers-choices.svg)", "",
        "![Memory against the number of arms](plots/peers-memory.svg)", "",
        "**Rewards over many worlds.** The number of worlds and their seeds (from 1001) were "
        "fixed before any of them was played. An earlier trial in other worlds with 10,000 "
        "arms had shown that a few worlds are not enough: the difference from NumPy was -31 "
        "with a 95 % interval of ± 20 over the first 20 worlds, and -7 ± 10 over all 80.", "",
        *sentences.many_worlds(study), ""]


def another_problem(study: Study) -> list[str]:
    if not study.another_problem():
        return []
    return [
        "## Another problem: a model for each arm", "",
        "These libraries do not use features of arms. Each arm has a regression of its own, "
        "and a reward for one arm says nothing about another. The regressions get a constant "
        "context of one number here, which is the cheapest case for them. The table shows "
        "what a choice costs; there are no ratios, since it is another model.",
        "", *tables.per_arm_table(study), ""]


def abilities(study: Study) -> list[str]:
    return [
        "## What they can do", "",
        "This comes from documentation and source code; a cell is blank where these do not "
        "say. \"By hand\" means that you write it yourself.", "",
        *tables.feature_table(study, tables.LACKING), "",
        *tables.feature_table(study, tables.FEATURES), "",
        "**Stay with another library if**", "",
        "- a context acts on each arm in a way of its own, which features of arms do not "
        "explain (those with a model for each arm);",
        "- you need exact probabilities of choices for off-policy evaluation, and not estimates "
        "of them (Vowpal Wabbit);",
        "- you can only install wheels from PyPI;",
        "- you already have a graph, arms hardly change, and a second best arm now and then "
        "does no harm (hnswlib, faiss, usearch);",
        "- there are a thousand arms or fewer, for which plain NumPy takes twenty lines.", ""]


def measured_how(study: Study) -> list[str]:
    rows = list(study.runs.values())
    machine = "; ".join(sorted({row["machine"] for row in rows}))
    commits = ", ".join(sorted({row["commit"] for row in rows
                                if row["rival"].startswith(OURS) and row["commit"]}))
    limit = max(row["step_limit"] for row in rows)
    set_up = max(row["set_up_limit"] for row in rows)
    repeats = max(row["asked_repeats"] for row in rows)
    quick = max(row["quick_limit"] for row in rows)
    return [
        "### How it was measured", "",
        "**The world.** Arms have 16 features from the standard normal distribution, in "
        "single precision, and the true parameter is drawn in the same way. A reward is the "
        "inner product of both plus standard normal noise, which is the same at the same step "
        "for everybody. Exploration is 2 and regularisation is 1, where they can be set.", "",
        "**Repeats.** Every rival has a process of its own at every size. It is set up and "
        f"makes all steps once. If the steps took {quick} s or less, they are repeated until "
        f"there are {repeats} measurements, in turns with the other rivals of that size. Every "
        "repeat starts without any reward: graphs and NumPy's columns are kept, everything "
        "else is set up again. Times are medians over the repeats, and the rows have the time "
        "of each repeat. Times are those that a caller in Python sees.", "",
        f"**The machine**: {machine}{f'; manyarms at commit {commits}' if commits else ''}.", "",
        "**Threads.** Two threads are used by OpenBLAS (NumPy, bayesianbandits), for building "
        "and extending graphs, and for our order of upper bounds. Single queries of hnswlib "
        "and faiss and MABWiser (`n_jobs`) were tried with two threads and were no faster; "
        "contextualbandits (`njobs`) takes eight times as long for a choice among 1,000 arms. "
        "The others have their default settings.",
        "",
        f"**Limits.** Stepping ends after {limit} s, and set-up after {set_up} s. A size is "
        "left out if the size before it gave fewer than 10 steps, if set-up took more than a "
        "tenth of the limit there, or if the memory of an arm, times the number of arms, is "
        "more than 16 GB.", "",
        " ".join(["**Other work.** " + sentences.disturbed(study), *study.remarks]), "",
        "To measure some rivals only, into a file of its own: `scripts/bench-peers --rivals "
        "numpy,manyarms --sizes 1000 --rows some.jsonl`. To make a page from it: "
        "`scripts/peers-page --rows some.jsonl --docs folder`. `--help` has the rest.", ""]


def appendix(study: Study) -> list[str]:
    worth = [arms for arms in study.sizes if len(tables.reward_table(study, arms)) > 2]
    notes = [f"- {fact['name']} (`{fact['package']}`): {fact['note']}"
             for rival, fact in study.rivals.items() if study.took_part(rival)]
    return [
        "## Appendix", "", *measured_how(study),
        "### How each was used", "",
        "The choice of a graph is the arm that it returns as nearest by inner product. How far "
        "a query looks was chosen in a trial: the smallest of 16, 32, 64 and 128 with which 99 "
        "of 100 choices were the best arm, over 2,000 steps in each of three other worlds "
        "(seeds 101 to 103) with 100,000 arms.", "", *notes,
        "",
        "### What could not be installed or run", "", *sentences.left_out(study), "",
        "### Total time", "",
        "Set-up and all steps together. A star means that not all steps were made, and the "
        "time is computed from the mean of those that were.", "",
        *tables.totals(study), "",
        "### Every size, every rival", "",
        *tables.by_size(study, study.sizes, tables.size_table, 4),
        "Remove and add: one arm in a hundred, in the way that the library offers; a star "
        f"marks libraries that have none ({sentences.notes_of_changes(study)}). "
        f"{sentences.same_choices(study)}", "",
        "### Regret and reward at equal steps", "",
        "This is one world with one seed. Differences of a few percent mean nothing, and with "
        "one model per arm it is mostly luck which arm is found. Each row is taken at the "
        "largest number of steps for which both sides have a sum; rows with fewer than 200 "
        "steps are left out. \"Thompson sampling, shared ridge\" is our model with other "
        "random numbers. Graphs also miss some arms, and an upper confidence bound is another "
        "rule.", "",
        *tables.by_size(study, worth, tables.reward_table, 4)]


def page(study: Study, with_contexts: Study) -> str:
    """Either study may have no runs."""
    alone = [*same_problem(study), *another_problem(study)] if study.runs else []
    more = [*abilities(study), *appendix(study)] if study.runs else []
    return "\n".join([*opening(study), *alone, *contexts.section(with_contexts), *more,
                      *contexts.notes(with_contexts)]).rstrip("\n") + "\n"
