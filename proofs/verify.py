"""Is a Coq file the proof that conf/papers says it is?

  python proofs/verify.py [FILE.v …]     all registered files without a name; status 0 if all are
  python proofs/verify.py --built …      the same for files that `make` has compiled just now
  python proofs/verify.py --digest FILE  the digest of a statement, for conf/papers

A file is refused unless: it is registered; the text above its line "proofs" has the digest that is
registered there; coqc accepts it; below that line nothing is assumed, and no notation, module or
option is introduced that could change what a statement means; and every registered statement is
proved, in a file of its own that Coq checks, on no axioms but those of Coq's real numbers,
functional extensionality and excluded middle.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

HERE = Path(__file__).parent
REGISTRY = HERE.parent / "conf" / "papers"
MARK = "(* ---- proofs ---- *)\n"
COQ_MISSING = "not checked here: install coq (Debian: coq, libcoq-coquelicot)"
ALLOWED = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
ANYWHERE = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|Guard|Positivity|Universe|"
    r"bypass_check|Declare|Load|Extract\w*|Primitive|Register)\b"
)
"""Words of commands that assume something, or switch a check off."""
BELOW = re.compile(
    r"^\s*(#\[.*?\]\s*)?(Local\s+|Global\s+)?"
    r"(Notation|Infix|Reserved|Coercion|Canonical|Module|Import|Export|Require|From|Set|Unset|"
    r"Open|Close|Delimit|Bind|Undelimit|Arguments|Implicit|Generalizable)\b",
    re.M,
)
"""Commands that may stand above the line "proofs" only, where the author reads them."""


def registered() -> dict[str, dict]:
    """By file name without .v: digest, theorems."""
    files = sorted(REGISTRY.glob("*.yaml"))
    papers = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in files]
    found = {name: {"digest": digest, "theorems": {}}
             for paper in papers for name, digest in paper.get("proofs", {}).items()}  # fmt: skip
    for statement in (one for paper in papers for one in paper["statements"].values()):
        for key, theorem in statement.get("coq", {}).items():
            file, _, name = key.partition(".")
            found[file]["theorems"][name] = theorem
    return found


def statement(text: str) -> str:
    """What stands above the line "proofs"."""
    above, mark, _ = text.partition(MARK)
    if not mark:
        raise ValueError(f"no line {MARK.strip()}")
    return above


def digest(text: str) -> str:
    """SHA-256 of the statement."""
    return hashlib.sha256(statement(text).encode()).hexdigest()


def _bare(text: str) -> str:
    """Without comments, which nest in Coq."""
    out, depth, place = [], 0, 0
    while place < len(text):
        two = text[place : place + 2]
        if two == "(*":
            depth, place = depth + 1, place + 2
        elif two == "*)" and depth:
            depth, place = depth - 1, place + 2
        else:
            out.append("" if depth else text[place])
            place += 1
    return "".join(out)


def refusal(path: Path, entry: dict | None, built: bool = False) -> str | None:
    """Why a file is no proof of what is registered; None if it is."""
    text = path.read_text(encoding="utf-8")
    if entry is None:
        return "not in conf/papers"
    try:
        found = digest(text)
    except ValueError as problem:
        return str(problem)
    if found != entry["digest"]:
        return f"another statement: its digest is {found[:12]}…, registered {entry['digest'][:12]}…"
    if word := ANYWHERE.search(_bare(text)):
        return f"{word.group(0)} in the text"
    if word := BELOW.search(_bare(text.partition(MARK)[2])):
        return f"{word.group(0).strip()} below the line proofs"
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if built:
            shutil.copy(path.with_suffix(".vo"), folder)
        else:
            shutil.copy(path, folder)
            if complaint := _coqc(folder, path.name)[1]:
                return complaint
        return _axioms(folder, path.stem, list(entry["theorems"]))


def _axioms(folder: Path, name: str, theorems: list[str]) -> str | None:
    """Each statement again in a file of our own, and what its proof rests on."""
    lines = [f"Require {name}."]
    for one in theorems:
        lines.append(f"Theorem check_{one} : {name}.{one}. Proof. exact {name}.{one}_holds. Qed.")
        lines.append(f"Print Assumptions check_{one}.")
    (folder / "check.v").write_text("\n".join(lines) + "\n", encoding="utf-8")
    printed, complaint = _coqc(folder, "check.v")
    if complaint:
        return complaint
    reports = re.findall(r"^(Axioms:|Closed under the global context)", printed, re.M)
    if len(reports) != len(theorems):
        return "Coq reports on fewer theorems than are registered"
    used = set(re.findall(r"^([A-Za-z_][\w.']*)(?=\s*:|$)", printed.replace("Axioms:", ""), re.M))
    if others := sorted(used - ALLOWED):
        return f"other axioms: {', '.join(others)}"
    return None


def _coqc(folder: Path, name: str) -> tuple[str, str | None]:
    """What coqc prints, and its complaint if it refuses."""
    run = subprocess.run(
        ["coqc", "-q", "-R", ".", "", name], cwd=folder, capture_output=True, text=True, check=False
    )
    if run.returncode == 0:
        return run.stdout, None
    said = [line for line in run.stderr.splitlines() if line.strip()]
    error = next((i for i, line in enumerate(said) if line.startswith("Error")), len(said) - 1)
    return "", " ".join(said[error : error + 2]) if said else "coqc failed"


def main(arguments: list[str]) -> int:
    """Status 0 if every file is what is registered, 1 if one is refused, 2 if one cannot be read.

    3: there is no coqc.
    """
    parser = argparse.ArgumentParser(prog="verify.py", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--built", action="store_true", help="make has compiled the files just now")
    parser.add_argument("--digest", action="store_true", help="print the digest of each statement")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.v")
    given = parser.parse_args(arguments)
    entries = registered()
    files = given.files or [HERE / f"{name}.v" for name in entries]
    try:
        for path in files:
            text = path.read_text(encoding="utf-8")
            if given.built:
                path.with_suffix(".vo").read_bytes()
            if given.digest:
                print(f"{path.name} {digest(text)}")
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or str(problem)
        print(f"error: FILE={path}: {why}; allowed: a .v file of proofs/", file=sys.stderr)
        return 2
    if given.digest:
        return 0
    if not shutil.which("coqc"):
        print(COQ_MISSING)
        return 3
    bad = 0
    for path in files:
        why = refusal(path, entries.get(path.stem), given.built)
        mark = path.with_suffix(".checked")
        if why is None:
            mark.write_text(hashlib.sha256(path.read_bytes()).hexdigest() + "\n", encoding="utf-8")
        else:
            mark.unlink(missing_ok=True)
        print(f"{path.name}: {'ok' if why is None else f'refused: {why}'}", flush=True)
        bad |= why is not None
    if not given.files and (missing := sorted({p.stem for p in HERE.glob("*.v")} - set(entries))):
        print(f"not registered: {', '.join(missing)}")
        return 1
    return int(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
