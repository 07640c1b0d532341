"""A class for each agent of nply, made of what the agent declares: `agents.pyi` has the same for type checkers."""

from __future__ import annotations

import inspect
import json
from typing import Any

from . import _nply
from ._agent import CLASSES, Agent
from ._evaluation import Evaluation

#: What each agent declares.
DECLARED: list[dict[str, Any]] = json.loads(_nply.agents())


def class_name(name: str) -> str:
    """The name of an agent's class: ``brs+`` is `BrsPlus`."""
    return "".join(part.capitalize() for part in name.replace("+", "-plus").split("-"))


def keyword(key: str) -> str:
    """The keyword of a setting: ``widen-power`` is `widen_power`."""
    return key.replace("-", "_")


def is_time(schema: dict[str, Any]) -> bool:
    """Whether a setting is a time, which may be given in seconds."""
    return bool(schema.get("type") == "string" and "ms" in schema.get("pattern", ""))


def takes_evaluation(declared: dict[str, Any]) -> bool:
    """Whether an agent evaluates positions, or has an agent inside that may."""
    return any(key in ("eval", "agent") for key, _ in declared["settings"])


def _class(declared: dict[str, Any]) -> type[Agent]:
    settings = {keyword(key): schema["description"] for key, schema in declared["settings"]}

    def __init__(self: Agent, *, evaluation: Evaluation | None = None, **settings: object) -> None:
        Agent.__init__(self, evaluation=evaluation, **settings)

    keys = [*settings, "evaluation"] if takes_evaluation(declared) else settings
    parameters = [inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None) for key in keys]
    __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY), *parameters]
    )
    text = "\n".join(f"{key}: {about}" for key, about in settings.items())
    about = declared["about"][:1].upper() + declared["about"][1:]
    members = {
        "__init__": __init__,
        "__doc__": f"{about}.\n\n{text}",
        "__module__": __name__,
        "name": declared["name"],
        "_evaluates": "eval" in settings,
        "_inside": next((schema.get("default") for key, schema in declared["settings"] if key == "agent"), None),
        "_times": frozenset(key for key, schema in declared["settings"] if is_time(schema)),
    }
    return type(class_name(declared["name"]), (Agent,), members)


for _declared in DECLARED:
    _made = _class(_declared)
    CLASSES[_declared["name"]] = _made
    globals()[_made.__name__] = _made

__all__ = [class_name(declared["name"]) for declared in DECLARED]
