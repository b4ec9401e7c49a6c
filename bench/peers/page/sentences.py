"""Sentences whose figures are computed from the rows."""

from __future__ import annotations

from .study import OURS, SCAN, Study, listed, micro, rounded, seconds, times

QUIET = 0.1  # cores that other work may take
CLAIM = {100_000: 20, 1_000_000: 100}
FIGURES = {"choose_p50_us": "median", "choose_mean_us": "mean"}


def reason(study: Study, rival: str, arms: int, figure: str) -> str:
    """Why a rival is not as far behind as claimed."""
    fact, row = study.rivals[rival], study.measured(rival, arms)
    parts = []
    if fact["exact"] is False:
        parts.append("a graph is sublinear, too, once it is built: "
                     + seconds(row["setup_seconds"]))
    if figure == "choose_mean_us" and (scans := scans_in_mean(study, arms)):
        parts.append(f"our mean contains some {scans:.0f} scans")
    return ": " + ", and ".join(parts) if parts else ""


def claim(study: Study, arms: int, factor: int) -> str:
    """Says of each rival whether it takes so many times as long as ours."""
    peers = [r for r in [*study.same_problem(), *study.another_problem()]
             if not r.startswith(OURS)]
    known = [r for r in peers
             if study.ratio(r, arms, "choose_p50_us") is not None]
    if not known:
        return f"With {arms:,} arms nothing was measured."
    text = []
    for figure, word in FIGURES.items():
        below = sorted((study.ratio(r, arms, figure), r) for r in known
                       if study.ratio(r, arms, figure) < factor)
        named = listed([f"{study.name(r)} ({times(x)}{reason(study, r, arms, figure)})"
                        for x, r in below])
        if not below:
            text.append(f"By the {word} all {len(known)}")
        elif len(below) == len(known):
            text.append(f"By the {word} none: {named}")
        else:
            text.append(f"By the {word} {len(known) - len(below)} of {len(known)}, "
                        f"but not {named}")
    few = [study.name(r) for r in peers if r not in known and study.measured(r, arms)]
    missing = [study.name(r) for r in peers if not study.measured(r, arms)]
    rest = f" Too few steps for a ratio: {listed(few)}." if few else ""
    rest += f" Not measured at this size: {listed(missing)}." if missing else ""
    return (f"With {arms:,} arms, of those with at least 100 steps, these take at "
            f"least {factor} times as long as ours. {'. '.join(text)}.{rest}")


def claims(study: Study) -> list[str]:
    return [f"- {claim(study, arms, factor)}" for arms, factor in CLAIM.items()
            if arms in study.sizes]


def scans_in_mean(study: Study, arms: int) -> float | None:
    """What our mean has above its median, in scans."""
    ours, scan = study.measured(OURS, arms), study.measured(SCAN, arms)
    if not ours or not scan:
        return None
    above = ours["choose_mean_us"] - ours["choose_p50_us"]
    return above * ours["steps"] / scan["choose_p50_us"]


def far_from_scan(study: Study, arms: int) -> bool:
    """Elsewhere a mean in scans says nothing."""
    ours, scan = study.measured(OURS, arms), study.measured(SCAN, arms)
    return scan["choose_p50_us"] > 10 * ours["choose_p50_us"]


def tail(study: Study, sizes: list[int]) -> str:
    """Our worst side, where it is seen."""
    text = []
    for arms in sizes:
        ours, scans = study.measured(OURS, arms), scans_in_mean(study, arms)
        if not ours or scans is None or not far_from_scan(study, arms):
            continue
        p99 = micro(ours, "choose_p99_us")
        part = (f"with {arms:,} arms our mean is above its median by what {scans:.0f} "
                f"scans take, spread over all steps, and the 99th percentile is {p99}")
        if numpy := study.measured("numpy", arms):
            part += f" (NumPy by hand: {micro(numpy, 'choose_p99_us')})"
        if "steady_p99_us" in ours:
            part += f", after 500 steps {micro(ours, 'steady_p99_us')}"
        text.append(part)
    if not text:
        return ""
    return ("Our first choices are scans on one thread, while little is known. They are "
            "few, and they are the slowest: " + "; ".join(text)
            + ". Whoever needs every single choice to be quick from the start should look "
            "at the 99th percentile first.")


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
    return (f"Graphs are sublinear, too. With {arms:,} arms, time to build, choices of "
            f"{ours['steps']:,} that were not the best, and median choice are "
            f"{listed(parts)}. manyarms builds nothing beforehand: it takes the arms in "
            f"({seconds(ours['setup_seconds'])}), and makes an order of bounds on a second "
            "thread while it is in use."
            + (" Its choices are the scan's, all of them."
               if study.agree(OURS, SCAN, arms) else ""))


def accuracy(study: Study) -> str:
    """What the figures are good for."""
    widest = 1.0
    for row in study.runs.values():
        each = row.get("choose_p50_us_each", [])
        if len(each) > 1:
            widest = max(widest, max(each) / min(each))
    if widest == 1.0:
        return "Everybody stepped once: figures are good to a factor of two."
    return ("Times are medians over repeats where stepping was short; between the repeats "
            f"of one row the median choice differs by up to {rounded(widest, 2)} times. "
            "Those that stepped once (\"once\" in the appendix) are good to a factor of "
            "two. Ratios have two digits for that reason, and fewer than 100 steps give "
            "none.")


def many_worlds(study: Study) -> list[str]:
    """One world says little; this is the mean over several."""
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
            f"each: mean sum of rewards {ours:,.0f} with {study.name(row['pair'][0])} and "
            f"{theirs:,.0f} with {study.name(row['pair'][1])}; mean regret {regret:,.0f} "
            f"and {their_regret:,.0f}. The difference of rewards, {difference:+,.0f}, has a "
            f"95 % interval of ± {width:,.0f}, which is {share:.0f} % of the latter's regret"
            + ("." if abs(difference) > width else ": none that can be told."))
    return lines or ["- Not measured."]


def same_choices(study: Study) -> str:
    """Of those that are the same model with the same random numbers."""
    lines = []
    for first, second in ((OURS, SCAN), ("numpy", "bayesianbandits")):
        known = [arms for arms in study.sizes
                 if study.agree(first, second, arms) is not None]
        equal = [arms for arms in known if study.agree(first, second, arms)]
        if known:
            lines.append(f"{study.name(first)} and {study.name(second)} made the "
                         "same choices, over as many steps as both have, at "
                         f"{len(equal)} of {len(known)} sizes.")
    differing = [f"{study.name(rival)} with {arms:,} arms"
                 for (rival, arms), row in study.runs.items()
                 if row.get("repeats_agree") is False]
    if differing:
        lines.append(f"Repeats did not make the same choices: {listed(differing)}.")
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
    """Says which rows were taken while the machine was busy otherwise, and of how
    many that is known."""
    rows = [(arms, rival, row) for (rival, arms), row in study.runs.items()
            if row.get("steps")]
    known = [item for item in rows if item[2].get("other_work_cores") is not None]
    busy = [f"{study.name(rival)} with {arms:,} arms ({row['other_work_cores']:.1f})"
            for arms, rival, row in sorted(known, key=lambda item: item[:2])
            if row["other_work_cores"] > QUIET]
    text = (f"What else the machine did is known of {len(known)} of {len(rows)} rows: of "
            "those that stepped once while they did, if for half a second or more, of the "
            "others during all turns of their size together. ")
    if busy:
        return text + ("Other work took up cores during these, so that their times are too "
                       f"long: {listed(busy)}.")
    return text + f"It never took more than {QUIET} of a core." if known else text.strip()
