"""When two datasets are neighbours: one record is replaced, or one is added or removed.

Where the number of records is public, a record that is added stands in the place of one that tells
nothing (a tie: no loss, no feature difference), so whatever is private under replacement is private
under add/remove as well, and may be so with less noise.
"""

from __future__ import annotations

from typing import Literal

Adjacency = Literal["replace", "add_remove"]
REPLACE: Adjacency = "replace"
ADD_REMOVE: Adjacency = "add_remove"
ADJACENCIES: tuple[Adjacency, ...] = (REPLACE, ADD_REMOVE)
