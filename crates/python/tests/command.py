"""The command `nply`, for tests that compare the package with it. `tools/python` names it in the environment."""

import json
import os
import subprocess
from typing import Any

import pytest

PATH = os.environ.get("NPLY", "")

needed = pytest.mark.skipif(not PATH, reason="NPLY is not the path of the command")


def run(*words: str) -> str:
    """What the command writes."""
    done = subprocess.run([PATH, *words], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    return done.stdout


def refused(*words: str) -> dict[str, Any]:
    """The error that the command ends with."""
    done = subprocess.run([PATH, *words, "--json"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode != 0
    error: dict[str, Any] = json.loads(done.stderr)["error"]
    return error
