"""Writes `agents.pyi`, the types of the classes in `agents.py`, from what the agents declare: ``python -m nply._stubs``."""

from __future__ import annotations

from typing import Any

from .agents import DECLARED, class_name, is_time, keyword, takes_evaluation

HEAD = '''"""A class for each agent of nply."""

# Written by tools/python stubs.

from collections.abc import Sequence
from typing import Any, Literal

from ._agent import Agent, Count, Time
from ._evaluation import Evaluation
'''


def _type(schema: dict[str, Any]) -> str:
    """The type of a setting."""
    if "anyOf" in schema:
        parts = [_type(part) for part in schema["anyOf"]]
        return " | ".join(dict.fromkeys(" | ".join(parts).split(" | ")))
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if schema.get("enum"):
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    if "enum" in schema:
        # An evaluation, whose names are the game's.
        return "str"
    if schema.get("format") == "nply-agent":
        return "Agent | str"
    if is_time(schema):
        return "Time"
    types = {"boolean": "bool", "integer": "Count", "number": "float", "string": "str", "array": "Sequence[str]"}
    return types[schema["type"]]


def stub() -> str:
    """The text of `agents.pyi`."""
    lines = [HEAD]
    for declared in DECLARED:
        about = declared["about"][:1].upper() + declared["about"][1:]
        lines.append(f'\nclass {class_name(declared["name"])}(Agent):\n    """{about}."""\n\n    def __init__(\n        self,\n')
        if declared["settings"]:
            lines.append("        *,\n")
        lines.extend(f"        {keyword(key)}: {_type(schema)} | None = None,\n" for key, schema in declared["settings"])
        if takes_evaluation(declared):
            lines.append("        evaluation: Evaluation | None = None,\n")
        lines.append("    ) -> None: ...\n")
    names = "".join(f'    "{class_name(declared["name"])}",\n' for declared in DECLARED)
    lines.append(f"\nDECLARED: list[dict[str, Any]]\n\ndef class_name(name: str) -> str: ...\ndef keyword(key: str) -> str: ...\ndef is_time(schema: dict[str, Any]) -> bool: ...\ndef takes_evaluation(declared: dict[str, Any]) -> bool: ...\n\n__all__ = [\n{names}]\n")
    return "".join(lines)


if __name__ == "__main__":
    print(stub(), end="")
