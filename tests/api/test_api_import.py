from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import twin

ROOT = Path(__file__).parents[2]
QT = ("PySide6", "vispy", "OpenGL", "psygnal", "pyqtgraph")


def python(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_import_twin_imports_nothing_heavy() -> None:
    heavy = ("numpy", "pydantic", "simpy", "ruamel", "rustworkx", "pint", *QT)
    code = f"import sys, twin; dir(twin); print([m for m in sys.modules if m.split('.')[0] in {heavy!r}])"
    assert python(code) == ["[]"]


def test_the_one_line_of_the_readme_runs_without_qt() -> None:
    first, second = python(
        "import sys, twin; r = twin.load('lab-16').run(until='1 h', seed=3);"
        "print(r.summary['goodput'], r.series('site', 'site.it_w').shape);"
        f"print([m for m in sys.modules if m.split('.')[0] in {QT!r}])"
    )
    assert re.fullmatch(r"0\.\d+ \(\d+, 2\)", first)
    assert second == "[]"


def test_every_public_name_is_there_and_listed() -> None:
    for name in twin.__all__:
        assert getattr(twin, name) is not None
    assert set(twin.__all__) <= set(dir(twin))
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        _ = twin.nosuch  # type: ignore[attr-defined]


def test_type_checkers_and_python_see_the_same_names() -> None:
    text = (ROOT / "twin" / "__init__.py").read_text(encoding="utf-8")
    block = text.partition("if TYPE_CHECKING:\n")[2].partition("\n\n")[0]
    seen = {
        (module, name)
        for module, names in re.findall(r"from (\S+) import (.+)", block)
        for name in names.split(", ")
    }
    assert seen == {(module, name) for module, names in twin._MODULES.items() for name in names}
    assert {name for _, name in seen} == set(twin.__all__)


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "twin" / "py.typed").is_file()


@pytest.mark.slow
def test_mypy_knows_what_comes_back(tmp_path: Path) -> None:
    snippet = tmp_path / "snippet.py"
    snippet.write_text(
        "import twin\n"
        "run = twin.load('lab-16').run(until='1 h')\n"
        "reveal_type(run)\n"
        "reveal_type(run.series('site', 'site.it_w').values)\n"
        "reveal_type(run.events()[0])\n"
        "reveal_type(twin.risk('lab-16').figures['ettr'].mean)\n"
        "twin.load(3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(snippet)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout
    for line, words in ((3, "twin.api.run.Run"), (4, "ndarray"), (5, "events.Event"), (6, "float")):
        assert re.search(rf"snippet.py:{line}: note: Revealed type is .*{words}", said), said
    assert re.search(r"snippet.py:7: error: Argument 1 to \"load\"", said), said
