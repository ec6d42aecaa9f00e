"""The way of a release to its final names; what a crash leaves on the disk tells how far it came.

Output and manifest are first given the names of drafts, which hold the release's random id.  Then
each is linked to its final name, the output last: a draft of the output with one link was never
published.  With two links, or gone, it was, also when the user has moved the output since.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from repro.base.errors import BadInput
from repro.release.scratch import Draft, flush_folder

UNFLUSHED = "the release is complete, but a power failure may undo it"


@dataclass(frozen=True)
class Publication:
    """A release on its way.

    Attributes:
        release: its random id.
        output, manifest: final names, absolute and in one folder.
    """

    release: str
    output: Path
    manifest: Path

    @property
    def output_draft(self) -> Path:
        """Short, so that it is never longer than a file system takes."""
        return self.output.with_name(f".{self.release}.partial")

    @property
    def manifest_draft(self) -> Path:
        """Beside the draft of the output."""
        return self.output.with_name(f".{self.release}.manifest.partial")

    def stage(self, output: Draft, manifest: Draft) -> None:
        """Name the drafts, durably: from now on they are evidence."""
        output.name(self.output_draft)
        manifest.name(self.manifest_draft)
        flush_folder(self.output.parent)

    def publish(self) -> None:
        """Give the staged files their final names.

        Raises:
            BadInput: something has a name already; it is left as it is.
        """
        for draft, path in (
            (self.manifest_draft, self.manifest),
            (self.output_draft, self.output),
        ):
            try:
                os.link(draft, path)
            except FileExistsError:
                raise BadInput("OUT", path, "exists; choose a new name") from None
        try:
            flush_folder(self.output.parent)
        except OSError as problem:
            raise OSError(problem.errno, f"{problem.strerror}; {UNFLUSHED}") from None

    def in_reach(self) -> bool:
        """Whether the folder is there; a disk may have been unmounted since."""
        return self.output.parent.is_dir()

    def published(self) -> bool:
        """Whether the output has had its final name; only where the drafts were staged."""
        try:
            return os.lstat(self.output_draft).st_nlink > 1
        except FileNotFoundError:
            return True

    def tidy(self) -> None:
        """Remove the drafts of what has been published."""
        for path in (self.manifest_draft, self.output_draft):
            path.unlink(missing_ok=True)
        flush_folder(self.output.parent)

    def discard(self) -> None:
        """Remove what has not been published: the drafts, and the manifest if it is of ours."""
        if self.manifest_draft.exists() and _same(self.manifest_draft, self.manifest):
            self.manifest.unlink()
        self.tidy()


def _same(draft: Path, path: Path) -> bool:
    try:
        return os.path.samefile(draft, path)
    except FileNotFoundError:
        return False
