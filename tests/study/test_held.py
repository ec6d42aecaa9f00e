"""Finished blocks are held back until a sweep is accepted."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from repro.study.blocks import Block
from repro.study.held import Held


def blocks(count):
    return [Block(0, number, f"key{number}") for number in range(count)]


def test_nothing_is_kept_before_the_release_and_all_of_it_after():
    held, kept = Held(), []
    keep = held.back(lambda block, values: kept.append(block))
    one, other = blocks(2)
    keep(one, np.zeros(1))
    assert not kept
    held.release()
    assert kept == [one]
    keep(other, np.zeros(1))
    assert kept == [one, other]
    held.release()
    assert kept == [one, other]


def test_each_block_once_from_many_threads():
    held, kept, every = Held(), [], blocks(200)
    keep = held.back(lambda block, values: kept.append(block.key))
    with ThreadPoolExecutor(8) as threads:
        done = [threads.submit(keep, block, np.zeros(1)) for block in every]
        held.release()
        for one in done:
            one.result()
    assert sorted(kept) == sorted(block.key for block in every)
