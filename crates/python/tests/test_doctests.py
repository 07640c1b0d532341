"""The examples in docstrings."""

import doctest
import importlib

import pytest

MODULES = ["nply", "nply._agent", "nply._decision", "nply._errors", "nply._evaluation", "nply._experiment", "nply._own", "nply._tournament", "nply._tune", "nply._nply"]


def examples() -> list[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = [importlib.import_module(name) for name in MODULES]
    found = {test.name: test for module in modules for test in finder.find(module) if test.examples}
    return list(found.values())


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_an_example_shows_what_happens(example: doctest.DocTest) -> None:
    out: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    runner.run(example, out=out.append)
    assert runner.failures == 0, "".join(out)


def test_the_main_names_have_examples() -> None:
    names = " ".join(example.name for example in examples())
    for name in ["Position.play", "Position.perft", "Agent.search", "Agent.tree", "Game", "Evaluation", "check_game", "tournament", "tune", "Experiment", "game", "Error"]:
        assert name in names, name
