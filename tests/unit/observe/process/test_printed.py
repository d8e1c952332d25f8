"""What each call printed, out of one stream with marks in it."""

from __future__ import annotations

import zlib

from hypothesis import given
from hypothesis import strategies as st

from dynprobe.observe.process.printed import MOST_IN_ALL, MOST_OF_A_CALL, Printed, mark

TOKEN = b"\x00tok\x00\x00tok"  # one that begins like a part of itself


def stream(texts: list[bytes]) -> bytes:
    """What a worker writes that prints `texts`, one a call, with a word between calls."""
    parts = [mark(TOKEN, "."), b"loading"]
    for index, text in enumerate(texts):
        parts += [mark(TOKEN, "+", index), text, mark(TOKEN, "-", index), b"between"]
    return b"".join([*parts, mark(TOKEN, "!")])


def in_pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    ends = sorted({min(cut, len(data)) for cut in cuts} | {len(data)})
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]


@given(
    st.lists(st.text(alphabet="\x00tok9+-é\n", max_size=12).map(str.encode), max_size=5),
    st.lists(st.integers(0, 300), max_size=20),
)
def test_texts_are_told_apart_however_the_stream_is_cut(texts, cuts):
    if any(TOKEN in text + b"\x00" for text in texts):
        return
    printed = Printed(TOKEN)
    shown = b"".join(printed.feed(piece) for piece in in_pieces(stream(texts), cuts))
    shown += printed.end()
    assert printed.texts() == {i: text.decode() for i, text in enumerate(texts)}
    assert shown == b"loading" + b"".join(text + b"between" for text in texts)
    assert printed.ended


def test_a_call_that_is_cut_short_keeps_what_it_printed():
    printed = Printed(TOKEN)
    shown = printed.feed(mark(TOKEN, "+", 0) + b"so far" + TOKEN[:3])
    assert shown == b"so far"
    assert printed.end() == TOKEN[:3]
    assert printed.texts() == {0: "so far" + TOKEN[:3].decode()}
    assert not printed.ended


def test_a_call_made_again_does_not_print_a_second_time():
    printed = Printed(TOKEN)
    printed.feed(stream([b"first", b"other"]) + mark(TOKEN, "+", 0) + b"again")
    assert printed.texts() == {0: "first", 1: "other"}


def test_what_is_no_utf_8_is_replaced():
    printed = Printed(TOKEN)
    printed.feed(stream([b"\xff\xfe!"]))
    assert printed.texts() == {0: "\ufffd\ufffd!"}


def test_a_long_text_is_cut_and_the_rest_summed_up():
    text = bytes(range(32, 127)) * (3 * MOST_OF_A_CALL // 95)
    rest = text[MOST_OF_A_CALL:]
    said = f"\n… and {len(rest):,} bytes more (CRC-32 {zlib.crc32(rest):08x})"
    for size in (1 << 16, 12_345):  # however it comes
        printed = Printed(TOKEN)
        data = stream([text])
        for start in range(0, len(data), size):
            printed.feed(data[start : start + size])
        assert printed.texts() == {0: text[:MOST_OF_A_CALL].decode() + said}


def test_all_texts_together_are_bounded():
    printed = Printed(TOKEN)
    texts = [b"x" * MOST_OF_A_CALL] * (MOST_IN_ALL // MOST_OF_A_CALL + 3)
    printed.feed(stream(texts))
    told = printed.texts()
    assert sum(text.count("x") for text in told.values()) == MOST_IN_ALL
    assert told[len(texts) - 1].startswith(f"\n… and {MOST_OF_A_CALL:,} bytes more")
