"""The random numbers of manyarms, so that another program can make the same draws."""

from __future__ import annotations

import numpy as np

SAMPLE = 5  # the role of Thompson sampling's draws
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


def philox(counter: list[np.ndarray], key: list[int]) -> list[np.ndarray]:
    """Philox4x32-10 (Salmon et al. 2011), over arrays of counters."""
    c = counter
    for _ in range(10):
        one, two = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(two >> HALF) ^ c[1] ^ np.uint64(key[0]), two & LOW,
             (one >> HALF) ^ c[3] ^ np.uint64(key[1]), one & LOW]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def uniform(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Above 0 and up to 1."""
    word = low | (high << HALF)
    return ((word >> np.uint64(11)) + np.uint64(1)) * 2.0**-53


def draws(seed: int, choices: int, count: int) -> np.ndarray:
    """A row for each choice, with `count` standard normal numbers."""
    blocks = (count + 1) // 2
    index = np.repeat(np.arange(choices, dtype=np.uint64), blocks)
    block = np.tile(np.arange(blocks, dtype=np.uint64), choices)
    words = philox([index & LOW, index >> HALF, np.full_like(index, SAMPLE), block],
                   [seed & 0xFFFFFFFF, seed >> 32])
    radius = np.sqrt(-2 * np.log(uniform(words[0], words[1])))
    angle = 2 * np.pi * uniform(words[2], words[3])
    pairs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return pairs.reshape(choices, 2 * blocks)[:, :count].copy()
