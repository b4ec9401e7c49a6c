"""The section on contexts."""

from __future__ import annotations

from . import sentences
from .study import (
    FEW,
    OURS,
    SCAN,
    Study,
    listed,
    megabytes,
    micro,
    table,
    times,
)
from .tables import WORTH_A_REWARD, before_first, common_steps

NUMPY = "numpy"
FACTOR = 20  # by which a choice must be faster than NumPy's at the largest size


def same_as(study: Study, rival: str, arms: int) -> str:
    """Whose choices these are."""
    if rival == OURS:
        return "all, same as scan" if study.agree(OURS, SCAN, arms) else "certified"
    if rival.startswith(OURS) and rival != SCAN:
        return "certified"
    if rival in (SCAN, NUMPY) and study.agree(OURS, rival, arms):
        return "the same as ours"
    return "–"


def size_table(study: Study, arms: int) -> list[str]:
    lines = []
    for rival, fact in study.rivals.items():
        row = study.runs.get((rival, arms))
        if row is None:
            continue
        if not row.get("steps"):
            lines.append([fact["name"], fact["model"], row["outcome"]] + [""] * 7)
            continue
        cut = "" if row["steps"] == row["asked_steps"] else f" ({row['steps']:,} steps)"
        lines.append([
            fact["name"] + cut, fact["model"], micro(row, "choose_mean_us"),
            micro(row, "choose_p50_us"), micro(row, "choose_p99_us"),
            before_first(row, study), micro(row, "update_p50_us"),
            f"{megabytes(row, 'stepped_rss_bytes')}, {megabytes(row, 'peak_rss_bytes')}",
            same_as(study, rival, arms),
            "1" if rival == OURS else times(study.ratio(rival, arms, "choose_mean_us"))])
    return table(["", "model", "choice: mean", "choice: median", "choice: p99",
                  "before the first choice", "learn a reward",
                  "memory after all steps, peak", "choices", "mean divided by ours"], lines)


def other_sizes(study: Study, sizes: list[int]) -> list[str]:
    lines = []
    for rival in study.rivals:
        cells = []
        for arms in sizes:
            row = study.measured(rival, arms)
            cells.append("–" if not row else micro(row, "choose_mean_us") + (
                "" if row["steps"] == row["asked_steps"] else f" ({row['steps']:,} steps)"))
        lines.append([study.name(rival), *cells])
    return table(["mean choice", *(f"K = {arms:,}" for arms in sizes)], lines)


def reward_table(study: Study) -> list[str]:
    """The regret of a step, beside ours after as many steps."""
    lines = []
    for rival, fact in study.rivals.items():
        cells = []
        for arms in study.sizes:
            row, ours = study.measured(rival, arms), study.measured(OURS, arms)
            step = common_steps(row, ours) if row and ours else None
            if step is None or int(step) < min(WORTH_A_REWARD, row["asked_steps"]):
                cells.append("–")
                continue
            theirs, own = row["checkpoints"][step], ours["checkpoints"][step]
            beside = "" if rival == OURS else f"; `ts x certified` {own['regret']:,.0f}"
            cells.append(f"{theirs['regret']:,.0f} after {int(step):,}{beside}")
        lines.append([fact["name"], *cells])
    return table(["regret, and the number of steps",
                  *(f"K = {arms:,}" for arms in study.sizes)], lines)


def verdict(study: Study) -> str:
    """What the first rows of the tables say, in a sentence."""
    arms = study.sizes[-1]
    ours, theirs = study.measured(OURS, arms), study.measured(NUMPY, arms)
    ratio = study.ratio(NUMPY, arms, "choose_mean_us")
    if ratio is None:  # one of them is missing, or made too few steps
        return ""
    same = study.agree(OURS, NUMPY, arms)
    each = [n / o for n, o in zip(theirs["choose_mean_us_each"],
                                  ours["choose_mean_us_each"], strict=False)]
    span = (f" ({times(min(each))} to {times(max(each))} in the {len(each)} repeats)"
            if len(each) > 1 else "")
    text = (f"**Is a choice {FACTOR} times as fast as NumPy by hand with the same model?** "
            f"With {arms:,} arms NumPy takes {times(ratio)} times as long on average{span}. ")
    others = max(row.get("other_work_cores") or 0 for row in (ours, theirs))
    if others > sentences.QUIET:
        text += (f"This ratio is not reliable: other work took up {others:.1f} cores meanwhile, "
                 "which delays two threads that wait for each other more than one. ")
    steps = int(common_steps(ours, theirs))
    return text + (f"Both made the same {steps:,} choices." if same
                   else "Their choices differ from some step on: scores in single precision "
                   "that are nearly equal may be ordered either way.")


def section(study: Study) -> list[str]:
    if not study.runs:
        return []
    front = [arms for arms in study.sizes if arms >= 1_000_000] or study.sizes[-1:]
    rest = [arms for arms in study.sizes if arms not in front]
    row = next(iter(study.runs.values()))
    p, d = row["context_dim"], row["dim"]
    few = [study.name(r) for r in study.rivals
           if any(0 < study.runs.get((r, arms), {}).get("steps", 0)
                  < min(FEW, row["asked_steps"]) for arms in study.sizes)]
    lines = [
        "## Contexts", "",
        f"Every choice comes with a context of {p} values, which nobody has seen before, and "
        f"the mean reward of arm x in context c is c'Mx. A constant 1 is appended to both, so "
        f"that M has {(p + 1) * (d + 1)} coefficients: it has the effect of the arm's {d} "
        f"features, that of the context, and how one changes the other. Everybody makes "
        f"{row['asked_steps']:,} steps or as many as fit into the limit.", "",
        "- **One M for all arms**: manyarms, NumPy by hand, bayesianbandits (by a featurizer "
        "that makes the products) and Vowpal Wabbit (by interactions of namespaces). A reward "
        "of one arm teaches something about all others.",
        "- **A model of the context for each arm**: MABWiser and contextualbandits. They do not "
        "use features of arms, and have to try every arm in several contexts. No ratio is "
        "given for them where they made too few steps.", ""]
    for arms in front:
        lines += [f"### K = {arms:,} with contexts", "", *size_table(study, arms), ""]
    if text := verdict(study):
        lines += [" ".join([text, *study.remarks]), ""]
    if rest:
        lines += [*other_sizes(study, rest), ""]
    if few:
        lines += [f"Fewer than {FEW} steps at some size: {listed(few)}.", ""]
    return lines + [
        "![A choice and memory with contexts](plots/peers-contexts.svg)", "",
        "**Regret** is the sum over all steps of what the best arm of each context would have "
        "brought more. This is one world with one seed; there is no figure for fewer than "
        f"{WORTH_A_REWARD} steps.", "", *reward_table(study), "",
        *rewards(study)]


def rewards(study: Study) -> list[str]:
    if not study.seeds:
        return []
    return ["Over many worlds:", "", *sentences.many_worlds(study), ""]


def notes(study: Study) -> list[str]:
    """How each was used."""
    if not study.runs:
        return []
    return [
        "### How each was used with contexts", "",
        "Arms, noise, exploration and regularisation are those of the part without contexts. "
        "Contexts are drawn from the standard normal distribution, and so is M, divided by "
        "the root of the number of its rows: then arms differ as much in a context as they do "
        "without. Arms are not replaced in this part. `scripts/bench-peers --part contexts` "
        "measures it alone.", "",
        *(f"- {fact['name']} (`{fact['package']}`): {fact['note']}"
          for fact in study.rivals.values()), "",
        "What did not run to the end:", "", *sentences.left_out(study), "",
        "Other work: " + sentences.disturbed(study), ""]
