"""Random data that can be had again: the tests print their seed, and take it from TEST_SEED. TEST_ROUNDS, 1 by default,
multiplies how much they try."""

import os
import random


def generator():
    seed = int(os.environ.get("TEST_SEED") or random.SystemRandom().randrange(2**32))
    print(f"TEST_SEED={seed}", flush=True)
    return random.Random(seed)


def rounds(usual):
    return max(1, round(usual * float(os.environ.get("TEST_ROUNDS") or 1)))
