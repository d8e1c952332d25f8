"""Graph breaks at random numbers."""

from __future__ import annotations

from dynprobe.report import GraphBreak

from .base import BreakRule, Fix
from .sites import has_code, is_call, is_kind

_SEEDS = (
    r"(?:torch\.)?(?:manual_seed|seed|initial_seed|get_rng_state|set_rng_state|fork_rng)"
    r"|Random\.(?:seed|getstate|setstate)"
)


def _seeds(site: GraphBreak) -> bool:
    return is_call(site, _SEEDS) or has_code(
        site, r"\brandom\.(?:seed|getstate|setstate)\(|\bfork_rng\("
    )


def _has_generator(site: GraphBreak) -> bool:
    if is_kind(site, "GB7650", "torch.Generator method"):
        return True
    made = is_kind(
        site, "GB0363", "GB0055", "An opaque object was created", "Failed to convert args/kwargs"
    )
    return made and has_code(site, r"\bgenerator\b|\bGenerator\b")


SEED_CALL = BreakRule(
    id="seed-call",
    title="A seed or random state is set or read",
    why="""\
The state of a random generator belongs to the process. Dynamo does not capture code that sets or
reads it (`torch.manual_seed`, `get_rng_state`, `fork_rng`, `random.seed`).""",
    fixes=(Fix(key="outside", text="set the seed before {function} is called"),),
    matches=_seeds,
)
RANDOM_GENERATOR = BreakRule(
    id="random-generator",
    title="A torch.Generator",
    why="""\
What a `torch.Generator` gives next is not part of a graph: an operation with `generator=` is not
captured, and neither is a method of the generator.""",
    fixes=(
        Fix(
            key="outside",
            text="draw with the generator before {function} is called, and pass the numbers as "
            "an argument",
        ),
    ),
    matches=_has_generator,
)
NUMPY_RANDOM = BreakRule(
    id="numpy-random",
    title="A number drawn by NumPy",
    why="""\
Dynamo turns NumPy's functions into torch's. A single number from `np.random` is then a number read
out of a tensor, and a `Generator` of NumPy's is not known at all: the graph breaks. Where
`np.random` is captured, torch draws the numbers, with torch's seed.""",
    fixes=(Fix(key="torch", text="let torch draw it: torch.rand(()), torch.randn(shape)"),),
    matches=lambda site: has_code(site, r"\b(?:np|numpy)\.random\b"),
)
RANDOM_METHOD = BreakRule(
    id="random-method",
    title="A tensor is filled by random_()",
    why="Dynamo does not capture `Tensor.random_`. `torch.randint` is captured.",
    fixes=(
        Fix(key="randint", text="torch.randint(high, shape) for torch.empty(shape).random_(high)"),
    ),
    matches=lambda site: is_kind(site, "GB0107", "Tensor.random_ op"),
)
PYTHON_RANDOM = BreakRule(
    id="python-random",
    title="A number drawn by Python's random",
    why="""\
Of Python's `random`, Dynamo captures `randint`, `randrange` and `uniform`, and draws from a
`random.Random` of one's own. `random.random()` itself, `choice`, `shuffle`, `sample`, `gauss` and
`SystemRandom` break the graph. A branch on a number drawn is a graph break in any case.""",
    fixes=(
        Fix(
            key="outside",
            text="draw it before {function} is called, and pass the number, or what is decided by "
            "it, as an argument",
        ),
        Fix(
            key="uniform",
            text="or, where nothing branches on it, random.uniform(0, 1) for random.random()",
        ),
        Fix(
            key="torch", text="or, where nothing branches on it, let torch draw it: torch.rand(())"
        ),
    ),
    matches=lambda site: (
        is_call(site, r"(?:\w+\.)*(?:System)?Random\.\w+")
        or has_code(site, r"(?<!torch\.)\brandom\.\w+\(")
    ),
)
RANDOM_BREAK_RULES: tuple[BreakRule, ...] = (
    SEED_CALL,
    RANDOM_GENERATOR,
    NUMPY_RANDOM,
    RANDOM_METHOD,
    PYTHON_RANDOM,
)
