"""A generator of hostile preference files, for every reader of them.

A corpus is bytes and the texts that no message may repeat.  Most of its lines are sound, so that
what is odd comes late and between records that are fine.
"""

import json

from hypothesis import strategies as st

SECRET = "zebra"
"""Begins every response, and so is in every message that repeats one."""

PLAIN = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).map(lambda t: f"q{t}")
RESPONSE = st.text(st.characters(codec="utf-8"), max_size=20).map(lambda t: f"{SECRET} {t}")
SCALAR = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
    st.just(10**400), st.just(""), st.just(" \u00a0"), st.just("a\0b"), st.just("\ud800"),
)  # fmt: skip
VALUE = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@st.composite
def records(draw):
    """A sound record as JSON text, in one of its spellings."""
    fields = {"prompt": draw(PLAIN), "chosen": draw(RESPONSE), "rejected": draw(RESPONSE) + "!"}
    order = draw(st.permutations(sorted(fields)))
    more = draw(st.dictionaries(st.sampled_from(["id", "prompt ", "Chosen", "label"]), VALUE))
    content = {name: fields[name] for name in order} | more
    spaces = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,  ", "\t: ")]))
    return json.dumps(content, ensure_ascii=draw(st.booleans()), separators=spaces)


@st.composite
def odd_records(draw):
    """JSON that is no record, or says a field twice."""
    text = draw(records())
    name = draw(st.sampled_from(["prompt", "chosen", "rejected"]))
    return draw(
        st.sampled_from(
            [
                text[:-1] + f', "{name}": "{SECRET} again"}}',
                text[:-1] + f', "\\u{ord(name[0]):04x}{name[1:]}": "{SECRET} spelt"}}',
                text[:-1] + ', "deep": ' + "[" * 3000 + "]" * 3000 + "}",
                text[:-1] + ', "deep": ' + "[" * 200000,
                text[:-1] + ', "number": ' + "9" * 5000 + "}",
                text[:-1] + ', "value": NaN}',
                text + text,
                f"[{text}]",
                text.replace(SECRET, "\\ud800" + SECRET, 1),
                json.dumps({name: draw(VALUE)}),
                json.dumps(draw(VALUE)),
            ]
        )
    )


@st.composite
def spoilt_bytes(draw):
    """A record with its bytes spoilt."""
    line = draw(records()).encode("utf-8", "surrogatepass")
    at = draw(st.integers(0, len(line)))
    odd = draw(st.sampled_from([b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\x1a"]))
    codings = ("utf-16", "utf-32", "utf-8-sig", "latin-1")
    other = [line.decode("utf-8", "replace").encode(coding, "replace") for coding in codings]
    return draw(st.sampled_from([line[:at], line[:at] + odd + line[at:], line[at:], *other]))


ENDS = st.sampled_from([b"\n", b"\r\n", b"\n\n", b" \n", b"\x0b\n", "\u2028\n".encode(), b"\x85\n"])


@st.composite
def corpora(draw):
    """The bytes of a file."""
    responses = [(f"{SECRET} a{k}", f"{SECRET} b{k}") for k in range(20)]
    sound = [json.dumps({"prompt": "q", "chosen": a, "rejected": b}) for a, b in responses]
    lines = [line.encode() for line in sound]
    for _ in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from([records(), odd_records(), spoilt_bytes()]))
        line = draw(kind)
        content = line if isinstance(line, bytes) else line.encode("utf-8", "surrogatepass")
        lines.insert(draw(st.integers(0, len(lines))), content)
    start = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf", b"\n\n"]))
    return start + b"".join(line + draw(ENDS) for line in lines)
