"""The page, from its first line to its last."""

from __future__ import annotations

from . import sentences, tables
from .study import OURS, Study, micro

LARGE = (100_000, 1_000_000)


def front_sizes(study: Study) -> list[int]:
    """Where many arms begin; a trial with few shows what it has."""
    return [arms for arms in LARGE if arms in study.sizes] or study.sizes[-2:]


def opening(study: Study) -> list[str]:
    numpy = study.measured("numpy", 1_000)
    small = (f", among which NumPy by hand takes {micro(numpy, 'choose_p50_us')}"
             if numpy else "")
    return [
        "# manyarms beside other libraries", "",
        "- manyarms chooses among many arms by one linear model over features of the arms, "
        "and finds the best arm of each draw, as a rule without looking at all of them.",
        "- It pays where arms have features, there are 10,000 of them or more, they come "
        "and go, and one model learns from all rewards.",
        "- It does not where each choice has a user's context, where probabilities are "
        "logged for off-policy evaluation, or with 1,000 arms or "
        f"fewer{small}.",
        "- All figures are from [these rows](peers.jsonl), which `make bench-peers` takes "
        "(about half an hour) and of which `scripts/peers-page` makes this page.", ""]


def same_problem(study: Study) -> list[str]:
    sizes = front_sizes(study)
    steps = max(row["asked_steps"] for row in study.runs.values())
    largest = sizes[-1]
    paragraphs = [
        sentences.accuracy(study), sentences.tail(study, sizes),
        sentences.graphs(study, largest)]
    lines = [
        "## The same problem", "",
        f"{steps:,} steps from nothing, 16 features, through Python. A choice is a call "
        "that names an arm; all choices count, the first ones included.", "",
        *tables.by_size(study, sizes, tables.first_table),
        "Memory: what the process has after all steps above what it had before the arms "
        "were made; the arms themselves, which the measuring keeps for everybody, are 64 "
        "bytes each and are part of it. A choice then: median of up to 200 after the "
        "change. A star: the library has no such call, and the time is that of setting up "
        "anew. Exact choices: every choice is held against a scan with the same parameter, "
        "to single precision; certified means that the search proves it each time; our "
        "tests hold that against the scan. Replacing arms was timed once. Vowpal Wabbit "
        "draws arms by probabilities and keeps every arm as a parsed example: that is what "
        "its memory and its time before the first choice are.", ""]
    for paragraph in paragraphs:
        lines += [paragraph, ""] if paragraph else []
    if claims := sentences.claims(study):
        lines += ["Is a choice 20 times as fast with 100,000 arms, and 100 times with a "
                  "million?", "", *claims, ""]
    return lines + [
        "![A choice against the number of arms](plots/peers-choices.svg)", "",
        "![Memory against the number of arms](plots/peers-memory.svg)", "",
        "Rewards over many worlds. Their number and seeds (from 1001) were set before any of "
        "them was played. A trial in other worlds with 10,000 arms had shown that few do "
        "not tell: the difference to NumPy was -31 with a 95 % interval of ± 20 over the "
        "first 20, and -7 ± 10 over all 80.", "", *sentences.many_worlds(study), ""]


def another_problem(study: Study) -> list[str]:
    if not study.another_problem():
        return []
    return [
        "## Another problem: a model for each arm", "",
        "These have no features of arms. Each arm has a regression of its own, here of a "
        "constant context of one number, which is the cheapest for them; what one arm "
        "teaches is not known of another. Seconds, for what a choice costs, and no ratios:",
        "", *tables.per_arm_table(study), ""]


def abilities(study: Study) -> list[str]:
    return [
        "## What they can do", "",
        "From documentation and source; blank where these do not say. By hand: one writes "
        "it oneself.", "", *tables.feature_table(study, tables.LACKING), "",
        *tables.feature_table(study, tables.FEATURES), "",
        "**Stay where you are if** every choice has a user's context (Vowpal Wabbit, "
        "bayesianbandits, and those with a model for each arm); if you log probabilities "
        "and evaluate policies from logs (Vowpal Wabbit, Open Bandit Pipeline); if rewards "
        "are clicks and a linear model of them will not do, or tastes drift and old "
        "rewards must fade (bayesianbandits); if a wheel from PyPI is all you may install; "
        "if you have a graph already, arms hardly change and a rare second best does no "
        "harm (hnswlib, faiss, usearch); or if there are a thousand arms, for which NumPy "
        "by hand is twenty lines.", ""]


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
        "Arms have 16 features from the standard normal distribution, in single "
        "precision; the parameter is drawn likewise; a reward is the inner product of "
        "both with standard normal noise, the same at the same step for everybody. "
        "Exploration 2 and regularisation 1 where they can be set. Every rival has a "
        "process of its own at every size. It is set up and steps once; whose steps took "
        f"{quick} s or less steps {repeats} times in all, in turns with the others of that "
        "size, each time from nothing: graphs and NumPy's columns stay as they are, "
        "everything else is set up anew. Times are medians over the repeats, and each "
        "repeat's are in the rows.", "",
        f"The machine: {machine}{f'; manyarms at commit {commits}' if commits else ''}. Two "
        "threads for OpenBLAS (NumPy, bayesianbandits), for building and extending graphs, "
        "and for our order of bounds. Tried with two and no faster: single queries of "
        "hnswlib and faiss, MABWiser (`n_jobs`); contextualbandits (`njobs`) takes eight "
        "times as long for a choice among 1,000 arms. The others were left as they are.",
        "",
        f"Stepping ends after {limit} s, set-up after {set_up} s. A size is not tried where "
        "the one before gave fewer than 10 steps, where its set-up took more than a tenth "
        "of the limit, or where the memory that an arm takes makes more than 16 GB. Times "
        "are those that a caller in Python sees. " + sentences.disturbed(study), "",
        "`scripts/bench-peers --rivals numpy,manyarms --sizes 1000 --rows some.jsonl` "
        "measures some only, into a file of its own, of which `scripts/peers-page --rows "
        "some.jsonl --docs folder` makes a page; `--help` has the rest.", ""]


def appendix(study: Study) -> list[str]:
    worth = [arms for arms in study.sizes if len(tables.reward_table(study, arms)) > 2]
    notes = [f"- {fact['name']} (`{fact['package']}`): {fact['note']}"
             for rival, fact in study.rivals.items() if study.took_part(rival)]
    return [
        "## Appendix", "", *measured_how(study),
        "### How each was used", "",
        "Graphs: how far a query looks is the least of 16, 32, 64 and 128 with which 99 of "
        "100 choices were the best, over 2,000 steps in each of three other worlds (seeds 101 "
        "to 103) with 100,000 arms; the nearest by inner product is the choice.", "", *notes,
        "",
        "### What could not be installed or run", "", *sentences.left_out(study), "",
        "### What it takes in all", "",
        "Set-up and all steps; a star: from the mean of the steps that were made.", "",
        *tables.totals(study), "",
        "### Every size, every rival", "",
        *tables.by_size(study, study.sizes, tables.size_table, 4),
        "Remove and add: one arm in a hundred, in the way that the library has for it; a "
        f"star marks where it has none ({sentences.notes_of_changes(study)}). "
        f"{sentences.same_choices(study)}", "",
        "### Regret and reward at equal steps", "",
        "Of one world with one seed: differences of a few percent mean nothing, and with "
        "one model per arm it is mostly luck which arm is found. The most steps at which "
        "both sides have a sum; fewer than 200 are left out. Thompson sampling with shared "
        "ridge is our model with other random numbers; graphs miss some arms besides, and "
        "upper confidence bounds are another rule.", "",
        *tables.by_size(study, worth, tables.reward_table, 4)]


def page(study: Study) -> str:
    return "\n".join([*opening(study), *same_problem(study), *another_problem(study),
                      *abilities(study), *appendix(study)]).rstrip("\n") + "\n"
