"""Names near a mistyped one, and names worth offering."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from types import ModuleType

LISTED = 12  # more names than this are no help


def nearest(name: str, candidates: Iterable[str], count: int = 3) -> list[str]:
    """Up to `count` of `candidates` that `name` may have meant, best first."""
    if len(name) > 200:  # difflib takes quadratic time
        return []
    known = dict.fromkeys(c for c in candidates if c != name)
    same = [c for c in known if c.lower() == name.lower()]
    close = difflib.get_close_matches(name, known, n=count, cutoff=0.6)
    return list(dict.fromkeys(same + close))[:count]


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """`: did you mean 'a' or 'b'?`, or nothing where no candidate is near."""
    near = nearest(name, candidates)
    return f": did you mean {' or '.join(map(repr, near))}?" if near else ""


def near_file(directory: str, name: str, suffix: str) -> str:
    """`: did you mean 'dir/x.py'?` of the files in `directory` with this suffix, judged without
    it; or that there is no such directory."""
    try:
        stems = [
            n.removesuffix(suffix)
            for n in os.listdir(os.path.expanduser(directory or "."))
            if n.endswith(suffix)
        ]
    except OSError:
        return f": there is no directory '{directory}'"
    near = nearest(name.removesuffix(suffix), stems)
    paths = [repr(os.path.join(directory, stem + suffix)) for stem in near]
    return f": did you mean {' or '.join(paths)}?" if paths else ""


def public_names(obj: object) -> list[str]:
    """Attribute names without a leading underscore; none where `dir` itself raises."""
    try:
        return [name for name in dir(obj) if isinstance(name, str) and not name.startswith("_")]
    except Exception:
        return []


def callables_of(obj: object) -> list[str]:
    """Public names of `obj` that can be called; of a module only what it defines itself, in the
    order of its source. Reads no property."""
    if not isinstance(obj, ModuleType):
        cls = obj if isinstance(obj, type) else type(obj)
        return [n for n in public_names(obj) if callable(_class_attribute(cls, n))]
    return [
        name
        for name, value in vars(obj).items()
        if not name.startswith("_") and callable(value) and _defined_in(value, obj.__name__)
    ]


def offer(obj: object) -> str | None:
    """`it has f, g`, where there are few enough callables to be worth reading."""
    names = callables_of(obj)
    return f"it has {', '.join(names)}" if 0 < len(names) <= LISTED else None


def short_path(path: str | os.PathLike[str]) -> str:
    """`path` relative to the current directory where it lies inside it."""
    text = os.fspath(path)
    try:
        relative = os.path.relpath(text)
    except (ValueError, OSError):  # another drive; a current directory that is gone
        return text
    return text if relative.startswith("..") else relative


def _class_attribute(cls: type, name: str) -> object:
    for base in cls.__mro__:
        if name in base.__dict__:
            value = base.__dict__[name]
            return value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
    return None


def _defined_in(value: object, module: str) -> bool:
    """Instances and partials count: their `__module__` is their class's, and they were named here
    on purpose."""
    try:
        home = getattr(value, "__module__", None)
        named = hasattr(value, "__qualname__")
    except Exception:
        return False
    return home == module or not named
