"""The help and the documents of the repository: generated parts are fresh, links lead somewhere, examples run."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer

import twin
from twin.app.help.pages import anchor_of
from twin.cli.app import app
from twin.lessons.schema import FORMAT
from twin.planning.table.validation_tables import TABLE_NAMES, validate

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "packaging"))
import help_pages  # noqa: E402

HELP = ROOT / "assets" / "help"
PAGES = sorted(HELP.rglob("*.md"))
DOCUMENTS = [*PAGES, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))]
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_PATH = re.compile(r"`((?:twin|tests|packaging|assets|scenes)/[\w./-]*)`")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def prose_of(path: Path) -> str:
    return _FENCE.sub("", text_of(path))


def anchors_of(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", prose_of(path), re.MULTILINE)
    return {anchor_of(heading.replace("`", "")) for heading in headings}


def test_generated_parts_are_those_of_the_program() -> None:
    stale = [name(path) for path, text in help_pages.written(help_pages.PARTS) if text != text_of(path)]
    assert not stale, f"{stale}: run make docs"


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    for link in _LINK.findall(prose_of(path)):
        if link.startswith(("https://", "http://")):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if path.name != "CHANGELOG.md"], ids=name)
def test_paths_that_a_document_names_exist(path: Path) -> None:
    formats = (FORMAT,)  # of files, written as paths are
    named = [place for place in _PATH.findall(prose_of(path)) if place not in formats]
    missing = [place for place in named if not (ROOT / place).exists()]
    assert not missing


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_python_examples_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for language, code in _FENCE.findall(text_of(path)):
        if language == "python":
            exec(compile(code, name(path), "exec"), {})


def test_commands_that_documents_name_exist() -> None:
    known = set(typer.main.get_command(app).commands) | {"open"}
    for path in DOCUMENTS[:-1]:
        for command in re.findall(r"^    (?:\S*bin\S)?twin ([a-z]+)", text_of(path), re.MULTILINE):
            assert command in known, f"{name(path)}: twin {command}"


def test_every_page_is_in_the_contents_and_on_the_site() -> None:
    listed = {(HELP / link.partition("#")[0]).resolve() for link in _LINK.findall(text_of(HELP / "index.md"))}
    decisions = {path for path in PAGES if path.parent.name == "decisions"}
    assert listed | decisions | {HELP / "index.md"} == set(PAGES)
    site = text_of(ROOT / "mkdocs.yml")
    assert not [name(path) for path in PAGES if f" {path.relative_to(HELP).as_posix()}\n" not in site]


def test_pre_commit_runs_what_make_lint_runs() -> None:
    lint = text_of(ROOT / "Makefile").partition("\nlint:")[2].partition("\n\n")[0]
    commands = [line.strip().replace("$(BIN)", ".venv/bin") for line in lint.splitlines()[1:]]
    hooks = re.findall(r"entry: (.+)", text_of(ROOT / ".pre-commit-config.yaml"))
    assert hooks == commands


def test_the_readme_is_a_front_page() -> None:
    assert len(text_of(ROOT / "README.md").splitlines()) <= 150


def test_the_page_of_scenes_has_every_shipped_scene() -> None:
    named = re.findall(r"^\| `([\w-]+)` \|", text_of(HELP / "scenes.md"), re.MULTILINE)
    assert sorted(named) == sorted(path.name.split(".")[0] for path in (ROOT / "scenes").glob("*.twin.yaml"))


def test_the_page_of_trust_has_every_table_with_its_error() -> None:
    page = text_of(HELP / "trust.md")
    assert not [table for table in TABLE_NAMES if f"| `{table}` |" not in page]
    for table in validate(("dgxc-h100-bf16", "dgxc-gb200-fp8", "collectives"), None)[0]:
        assert table.errors is not None
        row = next(line for line in page.splitlines() if line.startswith(f"| `{table.name}` |"))
        assert f"| {table.errors.rows} | {table.errors.mape_pct:.2f} |" in row


@pytest.mark.slow
@pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is not installed: make setup")
def test_the_site_builds(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr


def test_the_changelog_begins_with_this_version() -> None:
    release = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]["version"]
    releases = re.findall(r"^## (\S+)$", text_of(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert releases[0] == release
    assert "0.1.0" in releases
    kinds = set(re.findall(r"^### (.+)$", text_of(ROOT / "CHANGELOG.md"), re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Fixed"}


def test_the_version_is_written_in_one_place() -> None:
    assert "version" not in vars(twin)
    assert not [path for path in (ROOT / "twin").rglob("*.py") if "__version__ =" in text_of(path)]
