"""``python -m repro.ablate theorem=offline_gap [--json]``: does each row notice what it needs?

Every stage that a row's worlds have (labels, privacy, an adversary, …) is taken away through the
same code: what the verdict notices is what the row needs.  A row about an algorithm must notice
fair coins, being handed the truth, and its estimate reversed, or say why not.

  python -m repro.ablate theorem=offline_gap
  python -m repro.ablate theorem=offline_gap --write      keep it: conf/needs/offline_gap.json
  python -m repro.ablate "theorem=glob(*,exclude=llm_*)" markdown=matrix.md
  python -m repro.ablate theorem=log_regret,private_xpo budget=laptop --json

Keys and groups are those of ``python -m repro``; budget is smoke unless given.  The matrix is
printed, and kept in OUTPUT_DIR/ablations.json; markdown=FILE writes it as a page too.
Exit status: 0 as in the snapshot, and every row about an algorithm notices what it must or says why
not; 1 the rows are named.
From Python: ``repro.ablate("offline_gap", only=["n_pairs"]).needs``.
"""

from repro.ablation import main
from repro.cli.command import run_command

if __name__ == "__main__":
    run_command(main, __doc__)
elif __name__ == "repro.ablate":  # as an attribute of the package it would hide the function
    raise ImportError("repro.ablate is a function; python -m repro.ablate is its command")
