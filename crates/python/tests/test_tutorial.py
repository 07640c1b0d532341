"""The tutorial: a notebook without outputs, which runs from its first cell to its last."""

import os
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

PATH = Path(__file__).parents[3] / "docs" / "tutorial.ipynb"


@pytest.fixture(scope="module")
def notebook() -> Any:
    return nbformat.read(PATH, as_version=4)


def test_the_notebook_is_kept_without_outputs(notebook: Any) -> None:
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells and all(not cell.outputs and cell.execution_count is None for cell in cells)
    assert PATH.read_text() == nbformat.writes(notebook, indent=1) + "\n"


def test_the_notebook_runs_and_shows_what_it_talks_about(notebook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    # Files of Jupyter's are none of the user's.
    for name in ["JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR", "MPLCONFIGDIR"]:
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": os.fspath(tmp_path)}}).execute()
    kinds = [kind for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs for kind in output.get("data", {})]
    # Two positions, a plot of the tournament, and the tables: of the tournament, of its games, of the paper twice.
    assert kinds.count("image/svg+xml") == 2 and kinds.count("image/png") == 1
    tables = [output.data["text/html"] for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs if "text/html" in output.get("data", {})]
    assert sum("<table" in table for table in tables) == 4
    assert (tmp_path / "brs-2011-5.db").exists()
