"""Every rule. Within a family the first that matches tells a case: special ones come first."""

from __future__ import annotations

from .alone import ALONE_RULES
from .base import BreakRule, CauseRule, Fix, ReportRule, Rule
from .containers import CONTAINER_RULES
from .eager import EAGER_RULES
from .given_up import GIVEN_UP_RULES
from .limits import LIMIT_RULES
from .modules import MODULE_RULES
from .objects import OBJECT_RULES
from .plain import GRAPH_BREAK, RECOMPILE
from .python_breaks import PYTHON_BREAK_RULES
from .sizes import SIZE_RULES
from .state import STATE_RULES
from .tensor_breaks import TENSOR_BREAK_RULES
from .tensors import TENSOR_RULES
from .values import SPECIAL_VALUE_RULES, VALUE_RULES

CAUSE_RULES: tuple[CauseRule, ...] = (
    *SPECIAL_VALUE_RULES,
    *STATE_RULES,
    *MODULE_RULES,
    *CONTAINER_RULES,
    *OBJECT_RULES,
    *TENSOR_RULES,
    *SIZE_RULES,
    *VALUE_RULES,
    RECOMPILE,
)
BREAK_RULES: tuple[BreakRule, ...] = (*TENSOR_BREAK_RULES, *PYTHON_BREAK_RULES, GRAPH_BREAK)
REPORT_RULES: tuple[ReportRule, ...] = (*LIMIT_RULES, *ALONE_RULES, *EAGER_RULES)
RULES: tuple[Rule, ...] = (*REPORT_RULES, *CAUSE_RULES, *GIVEN_UP_RULES, *BREAK_RULES)

__all__ = [
    "BREAK_RULES",
    "CAUSE_RULES",
    "GIVEN_UP_RULES",
    "REPORT_RULES",
    "RULES",
    "BreakRule",
    "CauseRule",
    "Fix",
    "ReportRule",
    "Rule",
]
