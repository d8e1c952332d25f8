"""Names of dtypes as plain text; torch is not imported.

The short names are those of fx's own table (`torch.utils._dtype_abbrs`) and, but for `b8` and the
underscore of the 8-bit floats, those jaxpr prints.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Literal

from ..errors import DynprobeError
from .scan import hint_of, shown

Kind = Literal["float", "complex", "int", "bool"]


@dataclass(frozen=True, slots=True)
class Dtype:
    """`short` as fx prints it, `torch_name` the attribute of `torch`, `size` bytes an element."""

    short: str
    torch_name: str
    size: int
    kind: Kind

    @property
    def differentiable(self) -> bool:
        """Whether a tensor of this dtype can require grad."""
        return self.kind in ("float", "complex")


DTYPES: dict[str, Dtype] = {
    dtype.short: dtype
    for dtype in (
        Dtype("f32", "float32", 4, "float"),
        Dtype("f64", "float64", 8, "float"),
        Dtype("f16", "float16", 2, "float"),
        Dtype("bf16", "bfloat16", 2, "float"),
        Dtype("f8e4m3fn", "float8_e4m3fn", 1, "float"),
        Dtype("f8e4m3fnuz", "float8_e4m3fnuz", 1, "float"),
        Dtype("f8e5m2", "float8_e5m2", 1, "float"),
        Dtype("f8e5m2fnuz", "float8_e5m2fnuz", 1, "float"),
        Dtype("f8e8m0fnu", "float8_e8m0fnu", 1, "float"),
        Dtype("i64", "int64", 8, "int"),
        Dtype("i32", "int32", 4, "int"),
        Dtype("i16", "int16", 2, "int"),
        Dtype("i8", "int8", 1, "int"),
        Dtype("u8", "uint8", 1, "int"),
        Dtype("u16", "uint16", 2, "int"),
        Dtype("u32", "uint32", 4, "int"),
        Dtype("u64", "uint64", 8, "int"),
        Dtype("b8", "bool", 1, "bool"),
        Dtype("c32", "complex32", 4, "complex"),
        Dtype("c64", "complex64", 8, "complex"),
        Dtype("c128", "complex128", 16, "complex"),
    )
}
"""Every dtype a tensor can be asked for, by its short name."""

# torch's second names. Read with the prefix `torch.` only: a bare `half` or `long` is far more
# often a word that somebody forgot to quote.
_SECOND_NAMES = {
    "half": "f16",
    "float": "f32",
    "double": "f64",
    "short": "i16",
    "int": "i32",
    "long": "i64",
    "chalf": "c32",
    "cfloat": "c64",
    "cdouble": "c128",
}
# Never read, but what is meant is plain.
_MEANT = _SECOND_NAMES | {
    "fp16": "f16",
    "fp32": "f32",
    "fp64": "f64",
    "fp8": "f8e4m3fn",
    "float8": "f8e4m3fn",
    "f8": "f8e4m3fn",
    "byte": "u8",
    "char": "i8",
    "b1": "b8",
    "boolean": "b8",
    "complex": "c64",
    "uint": "u32",
}
_ALIKE = 0.66  # f23 is like f32, sin is not like int8


def _spellings() -> dict[str, str]:
    names = {f"torch.{name}": short for name, short in _SECOND_NAMES.items()}
    for short, dtype in DTYPES.items():
        names |= {short: short, dtype.torch_name: short, f"torch.{dtype.torch_name}": short}
        if "_" in dtype.torch_name:  # as jaxpr prints it: float8_e5m2 is f8_e5m2
            names[dtype.torch_name.replace("float", "f")] = short
    return names


SPELLINGS: dict[str, str] = _spellings()
"""Every spelling that is read, and the short name it stands for."""


def canonical_dtype(name: str) -> str | None:
    """The short name (`f32`) that `name` stands for, None where it stands for none."""
    return SPELLINGS.get(name)


def nearest_dtype(name: str) -> str | None:
    """The short name of the dtype that `name` most resembles, None where it resembles none."""
    bare = name.lower().removeprefix("torch.").removeprefix("jnp.").removeprefix("np.")
    meant = _MEANT.get(bare) or SPELLINGS.get(bare)
    if meant:
        return meant
    if len(bare) > 32:  # difflib takes quadratic time
        return None
    likeness = {name: difflib.SequenceMatcher(None, name, bare).ratio() for name in SPELLINGS}
    nearest = max(likeness, key=likeness.__getitem__)  # of equals the first, the more common
    return SPELLINGS[nearest] if likeness[nearest] > _ALIKE else None


def known_dtype(name: str) -> str:
    """The short name of the dtype `name`.

    Raises:
        DynprobeError: there is none; the hint names the nearest.
    """
    short = canonical_dtype(name)
    if short is None:
        near = nearest_dtype(name) or "f32"
        raise DynprobeError(f"{shown(name)} is not a dtype", hint=hint_of("write", near))
    return short


def torch_name(short: str) -> str:
    """The attribute of `torch` for a short name: `f32` is `torch.float32`. KeyError if unknown."""
    return DTYPES[short].torch_name


def item_size(short: str) -> int:
    """Bytes of one element of the dtype with this short name. KeyError if unknown."""
    return DTYPES[short].size
