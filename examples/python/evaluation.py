"""What would another policy have earned? A shop shows one of 50 items to each visitor
by a rule of its own, with a uniform slice, and logs probabilities. From this log alone
two policies are evaluated that were never in use; here the truth is known.

    python evaluation.py [log.jsonl]
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile

import numpy as np

import manyarms

ITEMS, DIM, VISITORS, SLICE = 50, 6, 20_000, 0.2

rng = np.random.default_rng(1)
X = (rng.normal(size=(ITEMS, DIM)) / np.sqrt(DIM)).astype(np.float32)
X[:, 0] = 1  # a constant
worth = X @ np.array([0.3, *0.15 * rng.normal(size=DIM - 1)])  # mean rewards
rule = np.exp(X @ rng.normal(size=DIM))
rule /= rule.sum()
# Each choice is uniform with the probability SLICE, so these are its probabilities.
probability = SLICE / ITEMS + (1 - SLICE) * rule


def write_log(path: pathlib.Path) -> None:
    lines = [{"log": "manyarms", "format": 1, "population": False, "dim": DIM,
              "context_dim": 0, "rewards": "linear"}]
    lines += [{"event": "arm", "arm": item, "features": X[item].tolist()}
              for item in range(ITEMS)]
    for visitor in range(1, VISITORS + 1):
        uniform = bool(rng.random() < SLICE)
        item = int(rng.integers(ITEMS) if uniform else rng.choice(ITEMS, p=rule))
        reward = float(worth[item] + 0.4 * rng.normal())
        lines.append({"event": "decision", "id": visitor, "arm": item,
                      "features": X[item].tolist(), "score": 0, "eligible": ITEMS,
                      "uniform": uniform, "probability": float(probability[item])})
        lines.append({"event": "reward", "decision": visitor, "reward": round(reward, 4)})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def true_value(path: pathlib.Path, bandit: manyarms.Bandit) -> float:
    """The policy's mean reward after it has learned the first half of the log."""
    events = [json.loads(line) for line in path.open()]
    shown = {event["id"]: event["arm"] for event in events if event.get("event") == "decision"}
    for event in events:
        if event.get("event") == "reward" and event["decision"] <= VISITORS // 2:
            bandit.observe(shown[event["decision"]], event["reward"])
    draws = bandit.choose_many(2000, mode="draws")
    return float(np.mean([worth[int(draw.arm)] for draw in draws]))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else f"{folder}/log.jsonl")
        write_log(path)
        print(f"the rule earns {probability @ worth:.3f}, the best item {worth.max():.3f}")
        for policy in ("ts", "ucb"):
            bandit = manyarms.Bandit(DIM, policy=policy)
            bandit.add_arms(range(ITEMS), X)
            result = manyarms.evaluate(path, bandit, draws=200)
            for name in ("snips", "dr"):
                estimate = getattr(result, name)
                print(f"{policy} {name}: {estimate.value:.3f}, "
                      f"95 % interval {estimate.low:.3f} to {estimate.high:.3f}")
            print(f"{policy} in truth: {true_value(path, bandit):.3f}")


if __name__ == "__main__":
    main()
