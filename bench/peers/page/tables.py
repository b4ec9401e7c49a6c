"""Tables of the page."""

from __future__ import annotations

from .study import (
    OURS,
    SCAN,
    Study,
    common_steps,
    digits,
    megabytes,
    micro,
    seconds,
    table,
    times,
)

WORTH_A_REWARD = 200  # steps
LACKING = {"user_context": "a user's context with each choice",
           "learners": "many learners over the same arms",
           "probabilities": "probabilities for off-policy evaluation",
           "click_models": "logistic models for clicks",
           "forgetting": "forgetting of old rewards",
           "from_pypi": "package on PyPI"}
FEATURES = {"arms_come_and_go": "add and remove arms",
            "deletes_for_real": "removed arms are really deleted",
            "delayed_rewards": "delayed rewards", "save_load": "save and load",
            "k_best": "top k", "eligibility": "eligible arms",
            "threads": "threads"}


def exactness(row: dict, study: Study) -> str:
    if "inexact_choices" in row:
        wrong = row["inexact_choices"]
        return f"all but {wrong:,}" if wrong else f"all {row['steps']:,}"
    if row["rival"] == OURS and study.agree(OURS, SCAN, row["arms"]):
        return f"all {row['steps']:,}, same as scan"
    if row["rival"].startswith(OURS) and row["rival"] != SCAN:
        return "certified"
    return "scores all arms" if study.rivals[row["rival"]]["exact"] else "–"


def changed(row: dict) -> str:
    """Seconds to remove and to add, with a star where the library has no call for
    one of them. A new set-up does both at once."""
    parts = [row.get(f"{which}_one_percent_seconds") for which in ("remove", "add")]
    star = "*" if "remove_note" in row or "add_note" in row else ""
    if None in parts:
        return "–" + star
    return seconds(max(parts) if star else sum(parts)) + star


def before_first(row: dict, study: Study) -> str:
    built = study.rivals[row["rival"]]["built"]
    return seconds(row["setup_seconds"]) + (f": {built}" if built else "")


def first_table(study: Study, arms: int) -> list[str]:
    """Only the last column is a ratio."""
    lines = []
    for rival in study.same_problem():
        row = study.runs.get((rival, arms))
        if row is None:
            continue
        if not row.get("steps"):
            lines.append([study.name(rival), row["outcome"]] + [""] * 9)
            continue
        cut = "" if row["steps"] == row["asked_steps"] else f" ({row['steps']:,} steps)"
        lines.append([
            study.name(rival) + cut, micro(row, "choose_p50_us"),
            micro(row, "choose_mean_us"), micro(row, "choose_p99_us"),
            before_first(row, study), micro(row, "update_p50_us"), changed(row),
            micro(row, "choose_after_change_p50_us"),
            megabytes(row, "stepped_rss_bytes"), exactness(row, study),
            "1" if rival == OURS else times(study.ratio(rival, arms, "choose_p50_us"))])
    return table(["", "choice: median", "choice: mean", "choice: p99",
                  "before the first choice", "learn a reward", "replace 1 % of arms",
                  "choice after that: median", "memory", "exact choices",
                  "median divided by ours"], lines)


def per_arm_table(study: Study) -> list[str]:
    lines = []
    for rival in study.another_problem():
        line = [study.name(rival)]
        for arms in study.sizes:
            row = study.measured(rival, arms)
            line.append(f"{micro(row, 'choose_p50_us')} ({row['steps']:,} steps)"
                        if row else "–")
        lines.append(line)
    return table(["median choice", *(f"K = {arms:,}" for arms in study.sizes)],
                 lines)


def libraries(study: Study) -> list[dict]:
    """One entry for each library, as its variants can do the same things."""
    first: dict[str, dict] = {}
    for rival, fact in study.rivals.items():
        if study.took_part(rival):
            first.setdefault(fact["package"], fact)
    return list(first.values())


def feature_table(study: Study, features: dict[str, str]) -> list[str]:
    lines = [[f"{fact['name'].split(',')[0]} {fact['version']}".strip(),
              *(fact.get(key, "") for key in features)] for fact in libraries(study)]
    return table(["", *features.values()], lines)


def total(row: dict) -> float:
    """Seconds of set-up, choices and updates, for as many steps as were asked."""
    step = row["choose_mean_us"] + row["update_mean_us"]
    return row["setup_seconds"] + 1e-6 * step * row["asked_steps"]


def totals(study: Study) -> list[str]:
    lines = [[study.name(rival)] + [
        seconds(total(row)) + ("" if row["steps"] == row["asked_steps"] else "*")
        if (row := study.measured(rival, arms)) else "–" for arms in study.sizes]
        for rival in [*study.same_problem(), *study.another_problem()]]
    return table(["set-up and all steps"]
                 + [f"K = {arms:,}" for arms in study.sizes], lines)


def spread(row: dict) -> str:
    """The lowest and the highest median of the repeats."""
    each = [1e-6 * value for value in row["choose_p50_us_each"]]
    if len(each) == 1:
        return "once"
    return f"{len(each)}: {seconds(min(each))} to {seconds(max(each))}"


def size_table(study: Study, arms: int) -> list[str]:
    lines = []
    for rival in study.rivals:
        row = study.runs.get((rival, arms))
        if row is None:
            continue
        if not row.get("steps"):
            lines.append([study.name(rival), row["outcome"]] + [""] * 12)
            continue
        lines.append([
            study.name(rival), f"{row['steps']:,}"
            + ("" if row["steps"] == row["asked_steps"] else " (cut off)"),
            spread(row), seconds(row["setup_seconds"], digits(row)),
            micro(row, "choose_mean_us"), micro(row, "choose_p99_us"),
            micro(row, "steady_p50_us"), micro(row, "steady_p99_us"),
            micro(row, "update_p50_us"),
            seconds(row.get("remove_one_percent_seconds"))
            + ("*" if "remove_note" in row else ""),
            seconds(row.get("add_one_percent_seconds"))
            + ("*" if "add_note" in row else ""),
            micro(row, "choose_after_change_us"),
            f"{megabytes(row, 'stepped_rss_bytes')}, {megabytes(row, 'peak_rss_bytes')}",
            exactness(row, study)])
    return table(["", "steps", "median choice of each repeat: lowest to highest", "set-up",
                  "choice: mean", "choice: p99", "after 500 steps: median",
                  "after 500 steps: p99", "learn: median", "remove 1 %", "add 1 %",
                  "first choice after that", "memory after all steps, peak",
                  "exact choices"], lines)


def reward_table(study: Study, arms: int) -> list[str]:
    lines = []
    ours = study.measured(OURS, arms)
    for rival in study.rivals:
        row = study.measured(rival, arms)
        step = common_steps(row, ours) if row and ours else None
        if step is None or int(step) < WORTH_A_REWARD:
            continue
        theirs, own = row["checkpoints"][step], ours["checkpoints"][step]
        lines.append([study.name(rival), study.rivals[rival]["model"],
                      f"{int(step):,}"]
                     + [f"{value:,.0f}" for value in (
                         theirs["regret"], own["regret"],
                         theirs["reward"], own["reward"])])
    return table(["", "model", "steps", "regret", "our regret after as many steps",
                  "reward", "our reward after as many steps"], lines)


def by_size(study: Study, sizes: list[int], make, level: int = 3) -> list[str]:
    lines = []
    for arms in sizes:
        lines += [f"{'#' * level} K = {arms:,}", "", *make(study, arms), ""]
    return lines
