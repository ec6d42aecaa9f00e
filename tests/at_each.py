"""A property at many values in one test: every value is tried, and each that fails is named."""

import functools
import inspect

import pytest


def at_each(names, values):
    """As ``pytest.mark.parametrize``, but in one test; pytest's ``subtests`` report what fails.

    For values that take no time and can share all fixtures.
    """
    names = names.replace(" ", "").split(",") if isinstance(names, str) else names
    rows = [dict(zip(names, row if len(names) > 1 else (row,), strict=True)) for row in values]
    assert rows

    def around(test):
        body, inner = getattr(test, "body", test), getattr(test, "rows", [{}])

        @functools.wraps(body)
        def together(subtests, **fixtures):
            for row in together.rows:
                try:
                    body(**fixtures, **row)
                except (Exception, pytest.fail.Exception):
                    with subtests.test(**row):
                        raise

        together.body, together.rows = body, [outer | row for outer in rows for row in inner]
        given = inspect.signature(body).parameters.values()
        fixtures = [given for given in given if given.name not in together.rows[0]]
        subtests = inspect.Parameter("subtests", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        together.__signature__ = inspect.Signature([subtests, *fixtures])
        return together

    return around
