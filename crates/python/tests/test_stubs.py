"""Types: the committed stubs are what the declarations say."""

from pathlib import Path

import nply
from nply import _stubs


def test_the_stub_of_the_agents_is_current() -> None:
    written = Path(__file__).parents[1] / "python" / "nply" / "agents.pyi"
    assert written.read_text() == _stubs.stub(), "write it again: tools/python stubs"


def test_everything_public_has_a_docstring() -> None:
    public = [name for name in dir(nply) if not name.startswith("_") and name not in ["annotations", "agents", "FINGERPRINT"]]
    assert all(getattr(nply, name).__doc__ for name in public), public
    assert nply.__doc__ and nply.__version__
