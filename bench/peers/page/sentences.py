"""Sentences whose figures are computed from the rows."""

from __future__ import annotations

from .study import OURS, SCAN, Study, listed, micro, rounded, seconds, times

QUIET = 0.1  # cores that other work may take
CLAIM = {100_000: 20, 1_000_000: 100}
FIGURES = {"choose_p50_us": "median", "choose_mean_us": "mean"}


def verdict(study: Study, known: list[str], arms: int, factor: int, figure: str) -> str:
    """How many rivals take at least `factor` times as long as ours, and the ratios
    of those that do not."""
    below = sorted((study.ratio(r, arms, figure), r) for r in known
                   if study.ratio(r, arms, figure) < factor)
    above = len(known) - len(below)
    text = (f"  - By the {FIGURES[figure]}, {above} of {len(known)} "
            f"{'does' if above == 1 else 'do'}.")
    if below:
        named = [f"{study.name(r)} {times(ratio)} times as long" for ratio, r in below]
        text += f" The others take: {listed(named)}."
    return text


def explanation(study: Study, known: list[str], arms: int) -> list[str]:
    """Why some rivals are not as far behind as claimed."""
    lines = []
    built = [f"{study.name(r)} {seconds(study.measured(r, arms)['setup_seconds'])}"
             for r in known if study.rivals[r]["exact"] is False]
    if built:
        lines.append("  - Graphs are sublinear, too, once they are built, which takes: "
                     f"{listed(built)}.")
    if scans := scans_in_mean(study, arms):
        lines.append(f"  - Our mean is above our median by what {scans:.1f} scans take, spread "
                     "over all steps.")
    return lines


def claim(study: Study, arms: int, factor: int) -> list[str]:
    """Says of each rival whether it takes `factor` times as long as ours."""
    peers = [r for r in [*study.same_problem(), *study.another_problem()]
             if not r.startswith(OURS)]
    known = [r for r in peers
             if study.ratio(r, arms, "choose_p50_us") is not None]
    if not known:
        return [f"- With {arms:,} arms nothing was measured."]
    lines = [f"- With {arms:,} arms: which of those with at least 100 steps take at least "
             f"{factor} times as long as ours?",
             *(verdict(study, known, arms, factor, figure) for figure in FIGURES),
             *explanation(study, known, arms)]
    few = [study.name(r) for r in peers if r not in known and study.measured(r, arms)]
    missing = [study.name(r) for r in peers if not study.measured(r, arms)]
    if few:
        lines.append(f"  - Too few steps for a ratio: {listed(few)}.")
    if missing:
        lines.append(f"  - Not measured at this size: {listed(missing)}.")
    return lines


def claims(study: Study) -> list[str]:
    return [line for arms, factor in CLAIM.items() if arms in study.sizes
            for line in claim(study, arms, factor)]


def scans_in_mean(study: Study, arms: int) -> float | None:
    """The difference between our mean and our median, in scans."""
    ours, scan = study.measured(OURS, arms), study.measured(SCAN, arms)
    if not ours or not scan:
        return None
    above = ours["choose_mean_us"] - ours["choose_p50_us"]
    return above * ours["steps"] / scan["choose_p50_us"]


def far_from_scan(study: Study, arms: int) -> bool:
    """Where a scan is not much slower, a mean in scans says nothing."""
    ours, scan = study.measured(OURS, arms), study.measured(SCAN, arms)
    return scan["choose_p50_us"] > 10 * ours["choose_p50_us"]


def tail(study: Study, sizes: list[int]) -> str:
    """Our slowest choices, which a median does not show."""
    text = []
    for arms in sizes:
        ours, scans = study.measured(OURS, arms), scans_in_mean(study, arms)
        if not ours or scans is None or not far_from_scan(study, arms):
            continue
        p99 = micro(ours, "choose_p99_us")
        part = (f"With {arms:,} arms, the difference between our mean and our median is "
                f"what {scans:.1f} scans take, spread over all steps. The 99th percentile "
                f"is {p99}")
        if numpy := study.measured("numpy", arms):
            part += f" (NumPy by hand: {micro(numpy, 'choose_p99_us')})"
        if "steady_p99_us" in ours:
            part += f"; if the first 500 steps are left out, {micro(ours, 'steady_p99_us')}"
        text.append(part + ".")
    if not text:
        return ""
    return ("**First choices.** While little is known, our choices read a compact copy of the "
            "arms. They are few, and they are the slowest. " + " ".join(text)
            + " If every single choice has to be quick from the start, look at the 99th "
            "percentile first.")


def graphs(study: Study, arms: int) -> str:
    parts = []
    for rival in study.same_problem():
        row = study.measured(rival, arms)
        if row and study.rivals[rival]["exact"] is False:
            parts.append(f"{study.name(rival)} {seconds(row['setup_seconds'])}, "
                         f"{row['inexact_choices']:,} and "
                         f"{micro(row, 'choose_p50_us')}")
    ours = study.measured(OURS, arms)
    if not parts or not ours:
        return ""
    return (f"**Graphs** are sublinear, too. With {arms:,} arms, their time to build, the "
            f"number of choices out of {ours['steps']:,} that were not the best arm, and their "
            f"median choice are: {listed(parts)}. manyarms builds nothing beforehand: it adds "
            f"the arms ({seconds(ours['setup_seconds'])}), and sorts some of them by upper "
            "bounds on a second thread while it is in use."
            + (" All its choices are those of the scan."
               if study.agree(OURS, SCAN, arms) else ""))


def accuracy(study: Study) -> str:
    """How accurate the figures are."""
    widest = 1.0
    for row in study.runs.values():
        each = row.get("choose_p50_us_each", [])
        if len(each) > 1:
            widest = max(widest, max(each) / min(each))
    if widest == 1.0:
        return ("**Accuracy.** Everything was measured once: figures may be off by a factor "
                "of two.")
    return ("**Accuracy.** Where the steps did not take long, they were repeated, and times are "
            "medians over the repeats. Between the repeats of one row the median choice "
            f"differs by up to a factor of {rounded(widest, 2)}. Times that were measured once "
            "(\"once\" in the appendix) may be off by a factor of two. For that reason ratios "
            "have two digits, and there is no ratio for fewer than 100 steps.")


def many_worlds(study: Study) -> list[str]:
    """Means over several worlds, because one world says little."""
    lines = []
    for row in sorted(study.seeds, key=lambda row: (row["pair"][1], row["arms"])):
        if "half_width" not in row:
            continue
        ours, theirs = row["rewards"]
        regret, their_regret = row["regrets"]
        difference, width = row["difference"], row["half_width"]
        share = 100 * width / their_regret
        lines.append(
            f"- {row['arms']:,} arms, {row['seeds']} worlds, {row['steps']:,} steps "
            f"each: the mean sum of rewards is {ours:,.0f} with "
            f"{study.name(row['pair'][0])} and {theirs:,.0f} with "
            f"{study.name(row['pair'][1])}; mean regret is {regret:,.0f} and "
            f"{their_regret:,.0f}. The difference of rewards is {difference:+,.0f}, with a "
            f"95 % interval of ± {width:,.0f}, which is {share:.0f} % of the latter's regret"
            + ("." if abs(difference) > width else ": not a significant difference."))
    return lines or ["- Not measured."]


def same_choices(study: Study) -> str:
    """Compares rivals that are the same model with the same random numbers."""
    lines = []
    for first, second in ((OURS, SCAN), ("numpy", "bayesianbandits")):
        known = [arms for arms in study.sizes
                 if study.agree(first, second, arms) is not None]
        equal = [arms for arms in known if study.agree(first, second, arms)]
        if known:
            lines.append(f"{study.name(first)} and {study.name(second)} made the same "
                         f"choices at {len(equal)} of {len(known)} sizes, over as many steps "
                         "as both made.")
    differing = [f"{study.name(rival)} with {arms:,} arms"
                 for (rival, arms), row in study.runs.items()
                 if row.get("repeats_agree") is False]
    if differing:
        lines.append(f"Repeats made different choices: {listed(differing)}.")
    return " ".join(lines)


def notes_of_changes(study: Study) -> str:
    notes = {}
    for (rival, _), row in study.runs.items():
        for which in ("remove", "add"):
            if f"{which}_note" in row:
                notes[study.name(rival)] = row[f"{which}_note"]
    return "; ".join(f"{name}: {note}" for name, note in notes.items()) or "nowhere"


def shortfall(row: dict) -> str:
    made = f", {row['steps']:,} steps" if row.get("steps") else ""
    return f"with {row['arms']:,} arms {row['outcome']}{made}"


def left_out(study: Study) -> list[str]:
    lines = [f"- {fact['name']} could not be installed: {fact['not_installed']}."
             for fact in study.rivals.values() if fact["not_installed"]]
    for rival, fact in study.rivals.items():
        parts = [shortfall(study.runs[rival, arms]) for arms in study.sizes
                 if (rival, arms) in study.runs
                 and study.runs[rival, arms]["outcome"] != "done"]
        if parts and not fact["not_installed"]:
            lines.append(f"- {fact['name']}: {'; '.join(parts)}.")
    return lines or ["Nothing: everything was installed and ran to the end."]


def disturbed(study: Study) -> str:
    """Says which rows were measured while the machine did other work, and for how
    many rows that is known."""
    rows = [(arms, rival, row) for (rival, arms), row in study.runs.items()
            if row.get("steps")]
    known = [item for item in rows if item[2].get("other_work_cores") is not None]
    busy = [f"{study.name(rival)} with {arms:,} arms ({row['other_work_cores']:.1f})"
            for arms, rival, row in sorted(known, key=lambda item: item[:2])
            if row["other_work_cores"] > QUIET]
    text = (f"How much other work the machine did meanwhile is known for {len(known)} of "
            f"{len(rows)} rows. For a row with a single run it was measured during its steps, "
            "if these took half a second or more; for the others during all repeats of all "
            "rivals of their size together. ")
    if busy:
        return text + ("Other work took up cores during these, so that their times are too "
                       f"long: {listed(busy)}.")
    return text + f"It never took more than {QUIET} of a core." if known else text.strip()
