"""Files that are written besides stdout: opened before the work, whole or absent after it."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from dynprobe.errors import DynprobeError
from dynprobe.render import FORMATS, SUFFIXES, View, renderer

if TYPE_CHECKING:
    from dynprobe.report import Report


@dataclass(frozen=True, slots=True)
class Wish:
    """`format` is one of `FORMATS`."""

    format: str
    path: Path


def parse_output(text: str) -> Wish:
    """`[FORMAT=]PATH`.

    Raises:
        DynprobeError: no such format, or none can be told from the name.
    """
    known = " or ".join(FORMATS)
    prefix, equals, rest = text.partition("=")
    if equals and prefix in FORMATS:
        if not rest:
            raise DynprobeError(f"--output {text} names no file", hint=f"{text}PATH")
        return Wish(prefix, Path(rest))
    if equals and prefix.isalpha():
        raise DynprobeError(
            f"--output {text}: {prefix} is no format, {known} is",
            hint=f"a path with = in it is written ./{text}",
        )
    guessed = SUFFIXES.get(Path(text).suffix.lower())
    if guessed is None:
        raise DynprobeError(
            f"--output {text!r}: the format cannot be told from this name",
            hint=f"{' or '.join(f'{name}={text}' for name in FORMATS)}",
        )
    return Wish(guessed, Path(text))


@contextmanager
def opened(texts: Sequence[str]) -> Iterator[Artefacts]:
    """The files that `texts` ask for; those not written by the end of `with` never appear.

    Raises:
        DynprobeError: a text is not read, two name one file, or one cannot be written.
    """
    artefacts = Artefacts()
    try:
        for text in texts:
            artefacts.open(parse_output(text))
        yield artefacts
    finally:
        artefacts.discard()


class Artefacts:
    def __init__(self) -> None:
        self._opened: list[tuple[Wish, _File]] = []

    def open(self, wish: Wish) -> None:
        path = Path(os.path.realpath(wish.path))
        if any(file.path == path for _, file in self._opened):
            raise DynprobeError(f"--output names {wish.path} twice")
        try:
            self._opened.append((wish, _File(path)))
        except OSError as error:
            raise _unwritable(wish, error) from None

    def write(self, report: Report, view: View) -> None:
        """Raises DynprobeError where the disk is full or the folder is gone."""
        for wish, file in self._opened:
            try:
                file.commit(renderer(wish.format).render(report, view))
            except OSError as error:
                raise _unwritable(wish, error) from None

    def discard(self) -> None:
        for _, file in self._opened:
            file.discard()


def _unwritable(wish: Wish, error: OSError) -> DynprobeError:
    return DynprobeError(f"cannot write {wish.path}: {error.strerror}")


class _File:
    """A temporary neighbour of `path` that takes its place when whole. A pipe or a device is
    written as it is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._temporary: str | None = None
        self._stream: IO[bytes] | None = None
        mode = path.stat().st_mode if path.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            self._stream = path.open("wb")
            return
        if mode is not None and not os.access(path, os.W_OK):
            raise PermissionError(13, "Permission denied")
        number, self._temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.")
        self._stream = os.fdopen(number, "wb")
        os.chmod(number, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())

    def commit(self, text: str) -> None:
        assert self._stream is not None
        with self._stream as stream:
            stream.write(text.encode("utf-8", "backslashreplace"))
        if self._temporary is not None:
            os.replace(self._temporary, self.path)
            self._temporary = None

    def discard(self) -> None:
        if self._stream is not None:
            with suppress(OSError):
                self._stream.close()
        if self._temporary is not None:
            with suppress(OSError):
                os.unlink(self._temporary)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
