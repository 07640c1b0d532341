"""Progress in a notebook, by a shell that shows what it is told to display to nobody."""

import sys
from collections.abc import Iterator

import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Any

import nply


class Kernel(InteractiveShell):  # type: ignore[misc]
    """A shell that IPython takes for that of a notebook, because it has a kernel."""

    kernel = Any()


@pytest.fixture
def shown() -> Iterator[list[dict[str, object]]]:
    shell = Kernel.instance()
    shell.display_pub = CapturingDisplayPublisher(parent=shell)
    yield shell.display_pub.outputs
    Kernel.clear_instance()


def test_a_notebook_has_one_bar_that_is_updated(shown: list[dict[str, object]], capsys: pytest.CaptureFixture[str]) -> None:
    nply.tournament("connect-four", "random greedy", games=4, nodes=10)
    data = [output["data"] for output in shown]
    assert len(shown) > 1 and not shown[0].get("update") and all(output["update"] for output in shown[1:])
    assert "<progress value='4' max='4'></progress>" in str(data[-1]) and "random" in str(data[-1])
    ids = {str(output["transient"]) for output in shown}
    assert len(ids) == 1
    assert "█" not in capsys.readouterr().err
    assert "IPython" in sys.modules


def test_positions_and_reports_are_displayed_as_pictures(shown: list[dict[str, object]]) -> None:
    formatter = InteractiveShell.instance().display_formatter
    position = formatter.format(nply.game("rolit"))[0]
    assert position["image/svg+xml"].startswith("<svg") and "text/html" not in position
    tree = formatter.format(nply.Maxn().tree(nply.game("tree"), depth=2))[0]
    assert tree["image/svg+xml"].startswith("<svg")
    report = formatter.format(nply.tournament("connect-four", "random greedy", games=2, nodes=10, progress=False))[0]
    assert "<table>" in report["text/html"]
