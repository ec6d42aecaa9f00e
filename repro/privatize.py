"""Label-private release of a preference file.

    python -m repro.privatize IN OUT.jsonl epsilon=0.5 [compose=true] [unit=FIELD [at_most=K]]
                              [layout=trl] [resume=true] [ledger=FOLDER]

IN has prompt, chosen and rejected: JSON lines (also .gz), CSV, Parquet, or a folder saved by
datasets; texts, chat lists, dialogues as in hh-rlhf, or PKU's better_response_id.  OUT.jsonl has
prompt, response_1, response_2 and label (+1: the randomised report prefers response_1), one line a
comparison, every byte but the labels determined by the texts; OUT.manifest.json states the
guarantee.  OUT.parquet or OUT.jsonl.gz is written beside OUT.jsonl, with layout=trl as prompt,
chosen, rejected.  unit=annotator protects all labels of one value of that field, at a cost that
the manifest states; at_most=K bounds it.  Coins come from the operating system; a seed is refused.
What fails after labels were spent is published by resume=true.  From Python:
``repro.privatize(records, epsilon=0.5)``.
"""

from repro.cli.command import run_command
from repro.releasing import main

if __name__ == "__main__":
    run_command(main, __doc__, private=True)
elif __name__ == "repro.privatize":  # as an attribute of the package it would hide the function
    raise ImportError("repro.privatize is a function; python -m repro.privatize is its command")
