"""Words of the small commands."""

import pytest
from pydantic import BaseModel

from repro.base.errors import BadInput
from repro.base.schema import Epsilon, validate
from repro.base.words import keyword_values


class _Request(BaseModel):
    epsilon: Epsilon


@pytest.mark.parametrize("text", ["0_5", "1_0", "0_5.0", "1_0e1", "-0_5", "_5"])
def test_a_number_with_an_underscore_is_none(text):
    with pytest.raises(BadInput, match=f"epsilon={text}: allowed: a number"):
        validate(_Request, keyword_values([f"epsilon={text}"], _Request))
