"""``python -m repro.suite``: rewrite conf/suite.yaml, the list behind ``dvc repro``.

DVC cannot list a folder, so the list of experiments is a file; a test compares it with
``theorems/``.
"""

from __future__ import annotations

from repro.paths import conf_dir
from repro.study.experiment import slugs

HEADER = (
    "# The experiments of `dvc repro`; `python -m repro.suite` rewrites this list from theorems/.\n"
)


def main() -> None:
    """Write the list and say what it holds."""
    found = slugs()
    lines = "".join(f"- {slug}\n" for slug in found)
    (conf_dir() / "suite.yaml").write_text(f"{HEADER}theorems:\n{lines}", encoding="utf-8")
    print(f"conf/suite.yaml: {len(found)} experiments")


if __name__ == "__main__":
    main()
