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


SOUND_ENDS = st.sampled_from([b"\n", b"\r\n", b"\n\n", b" \n"])
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


@st.composite
def released_records(draw, fields):
    """A line of a release as JSON text: its texts spoilt, more fields, its label spelt oddly."""
    texts = {
        name: draw(st.sampled_from([text, f"{text}\u200b", f" {text}"])) for name, text in fields
    }
    more = draw(st.dictionaries(st.text(max_size=5).filter(lambda name: name not in texts), VALUE))
    label = draw(st.sampled_from(["1", "-1", "1.0", "-1e0", "10e-1"]))
    ascii_only = draw(st.booleans())
    line = json.dumps(texts | more, ensure_ascii=ascii_only)
    spaces = draw(st.sampled_from(["", " ", "\t"]))
    return f'{line[:-1]}, "label":{spaces} {label}}}{spaces}'


@st.composite
def releases(draw, pairs):
    """The bytes of a release of some pairs, most of its lines sound."""
    lines = []
    for number, (prompt, *both) in enumerate(pairs):
        one, two = draw(st.permutations(both))
        fields = {"prompt": prompt, "response_1": one, "response_2": two}
        label = draw(st.sampled_from([1, -1]))
        lines.append(json.dumps(fields | {"label": label}).encode())
        if number % 6 == 0:
            odd = draw(released_records(list(fields.items())))
            lines.append(odd.encode("utf-8", "replace"))
    if draw(st.integers(0, 2)) == 0:
        bad = json.dumps({"prompt": "q", "response_1": SECRET, "response_2": "b", "label": 2})
        lines.append(draw(st.one_of(odd_records(), st.just(bad))).encode("utf-8", "surrogatepass"))
    return b"".join(line + draw(SOUND_ENDS) for line in lines)


MANIFESTS = st.one_of(
    st.just(b'{"epsilon": 0.5}'),
    st.dictionaries(st.text(max_size=5), VALUE).map(
        lambda found: json.dumps(found | {"epsilon": 0.5}).encode()
    ),
    st.binary(max_size=40),
)
"""What may lie beside a release."""
