"""Numbers as a person types them: decimal integers and floats, sizes, bounds."""

from __future__ import annotations

import re

from .scan import Scanner, hint_of, shown

MAX_INT64 = 2**63 - 1

_INT = re.compile(r"[+-]?(?:0|[1-9][0-9]*(?:_[0-9]+)*)")
_EXPONENT = r"[eE][+-]?[0-9]+"
_FLOAT = re.compile(
    rf"[+-]?(?:(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:{_EXPONENT})?|[0-9]+{_EXPONENT}|inf|nan)"
)
_PADDED = re.compile(r"([+-]?)0+([0-9]+)")
_HEX = re.compile(r"([+-]?)(0[xob][0-9a-f_]+)", re.IGNORECASE)


def number_of(s: Scanner, word: str, at: int) -> int | float | None:
    """The number `word` stands for, None where it is none.

    Raises:
        GrammarError: it has more digits than Python reads, is not decimal, or starts with zeros.
    """
    if _INT.fullmatch(word):
        try:
            return int(word)
        except ValueError:  # sys.get_int_max_str_digits()
            raise s.error(
                f"an integer of {len(word)} characters is longer than Python reads",
                hint_of("write a shorter number", "1000000"),
                at,
            ) from None
    if _FLOAT.fullmatch(word):
        return float(word)
    _refuse_other_bases(s, word, at)
    return None


def _refuse_other_bases(s: Scanner, word: str, at: int) -> None:
    padded, based = _PADDED.fullmatch(word), _HEX.fullmatch(word)
    if padded:
        raise s.error(
            f"{shown(word)} starts with a zero",
            hint_of("write the number without it", f"{padded[1]}{padded[2][:18]}"),
            at,
        )
    if not based:
        return
    hint = hint_of("write the number in decimal", _decimal(word))
    message = f"{shown(word)} is not a decimal number, and no other is read"
    if re.fullmatch(r"0x[0-9]{1,18}", word):
        message = (
            f"{shown(word)} is read neither as a hexadecimal number nor, without a dtype, as sizes"
        )
        hint = hint_of(f"write {_decimal(word)}, or add a dtype", f"{word}xf32")
    raise s.error(message, hint, at)


def _decimal(word: str) -> str:
    try:
        return str(int(word, 0)) if len(word) <= 20 else "255"
    except ValueError:  # 0b7
        return "255"


def size_of(s: Scanner, digits: str, at: int) -> int:
    """A size or bound that fits into int64. `digits` has decimal digits only.

    Raises:
        GrammarError: it does not fit.
    """
    trimmed = digits.lstrip("0") or "0"
    if len(trimmed) > 19 or int(trimmed) > MAX_INT64:
        raise s.error(
            f"{shown(digits)} is more than {MAX_INT64}, the largest size and bound there is",
            hint_of("write a smaller number", "4x8xf32"),
            at,
        )
    return int(trimmed)
