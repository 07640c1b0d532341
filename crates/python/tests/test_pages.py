"""The code in the pages about Python runs."""

import re
import runpy
from pathlib import Path

import matplotlib
import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "crates/python/README.md"])
def test_the_code_of_a_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    assert blocks
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks))
    runpy.run_path(str(script), run_name="page")
