"""The module a target lives in, by dotted name or by file, and what to say when it will not come.

The user's code runs here, at import: it may print, exit, or raise anything.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import pkgutil
import re
import sys
from pathlib import Path
from types import ModuleType

from ...errors import TargetError
from ...spec.model import TargetSpec
from .names import did_you_mean, near_file, short_path
from .tracebacks import error_line, user_traceback

# A user's file of one of these names is loaded under another, so that nobody else gets it.
_OURS = {"dynprobe", "jax", "jaxlib", "numpy", "torch", "triton"}
_SHIELDED = sys.stdlib_module_names | _OURS | {"test"}
_LOUD = {"antigravity", "this"}  # importing them is their effect


def import_module(spec: TargetSpec, app_dir: str | None = None) -> ModuleType:
    """The module of `spec`, imported if it is not yet.

    For a dotted name `app_dir`, or else the current directory, is put first on `sys.path`; for a
    file its project root, the first directory upwards that is no package, and before that
    `app_dir` if given. Raises TargetError; KeyboardInterrupt passes.
    """
    if app_dir is not None and not os.path.isdir(app_dir):
        raise TargetError(f"there is no directory '{app_dir}' (--app-dir)")
    importlib.invalidate_caches()
    if spec.file is not None:
        return _import_file(spec.file, app_dir)
    assert spec.module is not None
    root = os.path.abspath(app_dir or os.getcwd())
    _put_first(root)
    return _import_dotted(spec.module, root)


def _put_first(directory: str) -> None:
    if sys.path[:1] != [directory]:
        with contextlib.suppress(ValueError):
            sys.path.remove(directory)
        sys.path.insert(0, directory)


def _import_dotted(name: str, root: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if _is_prefix(error.name, name):
            raise _not_there(name, error.name or name, root) from None
        raise import_failed(error, f"'{name}'") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise import_failed(error, f"'{name}'") from None


def _is_prefix(missing: str | None, name: str) -> bool:
    return missing is not None and (name + ".").startswith(missing + ".")


def _not_there(name: str, missing: str, root: str) -> TargetError:
    """`missing` is `name` or the first of its parent packages that does not exist."""
    parent, _, leaf = missing.rpartition(".")
    package = sys.modules.get(parent) if parent else None
    if package is not None and not hasattr(package, "__path__"):
        steps = name.removeprefix(parent + ".")
        return TargetError(
            f"there is no module '{missing}': '{parent}' is a module, not a package",
            hint=f"names inside it come after a colon: {parent}:{steps}",
        )
    siblings = _sibling_modules(package, root)
    suggestion = did_you_mean(leaf, siblings)
    if suggestion and parent:
        suggestion = did_you_mean(missing, [f"{parent}.{s}" for s in siblings])
    where = f" in '{parent}'" if parent else ""
    message = f"there is no module '{leaf if parent else missing}'{where}{suggestion}"
    if parent:
        return TargetError(message, hint=_file_hint(root, name))
    return TargetError(
        message, hint=_file_hint(root, name) or "--app-dir DIR names the directory it lies in"
    )


def _file_hint(root: str, name: str) -> str | None:
    """For `dir/x` or `x` typed where a file `dir/x.py` exists."""
    path = Path(root, *re.split(r"[./\\]", name)).with_suffix(".py")
    return f"name the file: {short_path(path)}:…" if path.is_file() else None


def _sibling_modules(package: ModuleType | None, root: str) -> list[str]:
    paths = list(package.__path__) if package is not None else [root]
    names = [info.name for info in pkgutil.iter_modules(paths)]
    if package is None:
        with contextlib.suppress(OSError):  # directories are packages too, __init__.py or not
            names += [e.name for e in os.scandir(root) if e.is_dir() and e.name.isidentifier()]
        names += [info.name for info in pkgutil.iter_modules()]
    return names


def _import_file(text: str, app_dir: str | None) -> ModuleType:
    path = _existing_file(text)
    root, name = _root_and_name(path)
    loaded = _already_loaded(path)
    if loaded is not None:
        return loaded
    if "." in name or path.name == "__init__.py":
        _put_roots(root, app_dir)
        return _import_from_package(path, root, name)
    name = _free_name(name, shield=path.stem)
    _put_roots(root, app_dir)
    return _execute(path, name)


def _put_roots(root: str, app_dir: str | None) -> None:
    _put_first(root)
    if app_dir is not None:
        _put_first(os.path.abspath(app_dir))


def _existing_file(text: str) -> Path:
    path = Path(os.path.abspath(os.path.expanduser(text)))
    if path.is_dir():
        raise TargetError(f"'{text}' is a directory: name a Python file in it")
    if not path.exists():
        raise TargetError(f"there is no file '{text}'{near_file(*os.path.split(text), '.py')}")
    if path.suffix != ".py":
        raise TargetError(f"'{text}' is not a Python file: its name does not end in .py")
    return path


def _root_and_name(path: Path) -> tuple[str, str]:
    """The directory to put on `sys.path`, and the dotted name the file then has."""
    parts = [] if path.stem == "__init__" else [path.stem]
    directory = path.parent
    while (directory / "__init__.py").is_file() and directory != directory.parent:
        parts.insert(0, directory.name)
        directory = directory.parent
    if any("." in part for part in parts):  # no dotted name reaches it
        return str(path.parent), re.sub(r"\W", "_", path.stem)
    return str(directory), ".".join(parts)


def _already_loaded(path: Path) -> ModuleType | None:
    for name, module in list(sys.modules.items()):
        if isinstance(module, ModuleType) and name != "__main__":
            values = vars(module)
            busy = getattr(values.get("__spec__"), "_initializing", False)
            if values.get("__file__") == str(path) and not busy:
                return module
    return None


def _import_from_package(path: Path, root: str, name: str) -> ModuleType:
    top = name.partition(".")[0]
    if top in sys.modules:
        known = [os.path.abspath(p) for p in getattr(sys.modules[top], "__path__", ())]
        if os.path.join(root, top) not in known:
            raise _name_taken(path, name, sys.modules[top])
    module = _import_dotted(name, root)
    file = getattr(module, "__file__", None)
    if isinstance(file, str) and os.path.abspath(file) != str(path):
        raise _name_taken(path, name, module)
    return module


def _name_taken(path: Path, name: str, other: ModuleType) -> TargetError:
    owner = getattr(other, "__file__", None) or "built into Python"
    return TargetError(
        f"{short_path(path)} would be imported as '{name}', but '{other.__name__}' is {owner}",
        hint="rename the package, or move the target to a file outside it",
    )


def _free_name(name: str, shield: str) -> str:
    """`name`, or another where some other module has it or must be able to get it."""
    if shield in _SHIELDED:
        if shield not in _LOUD:
            # Its directory goes on sys.path: whoever imports this name later must get the real one.
            with contextlib.suppress(Exception):
                importlib.import_module(shield)
        taken = True
    else:
        taken = name in sys.modules
    free, count = name, 1
    while taken:
        free = f"{name}_py" if count == 1 else f"{name}_py{count}"
        taken, count = free in sys.modules, count + 1
    return free


def _execute(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # pickle, dataclasses and typing look there
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        sys.modules.pop(name, None)
        if isinstance(error, KeyboardInterrupt):
            raise
        raise import_failed(error, short_path(path)) from None
    return sys.modules.get(name, module)


def import_failed(error: BaseException, what: str) -> TargetError:
    """What to say when importing `what` raised `error`."""
    detail = user_traceback(error)
    if isinstance(error, SyntaxError) and error.filename and os.path.isfile(error.filename):
        place = f"{short_path(error.filename)}, line {error.lineno}"
        return TargetError(f"{place}, is not valid Python: {error.msg}", detail=detail)
    if isinstance(error, SystemExit):
        return TargetError(
            f"{what} calls sys.exit({error.code!r}) while it is imported",
            hint='put what runs as a script under `if __name__ == "__main__":`',
            detail=detail,
        )
    hint = None
    if isinstance(error, ModuleNotFoundError) and error.name:
        hint = f"install '{error.name}', or name the directory it lies in with --app-dir DIR"
    return TargetError(f"importing {what} failed: {error_line(error)}", hint=hint, detail=detail)
