"""Reports of a run: whole, exact, harmless, and made of one file."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QByteArray
from PySide6.QtGui import QImage
from report_facts import facts

import twin
from twin.analysis.compare import compare, sample_of
from twin.analysis.figures import FIGURES
from twin.analysis.incidents import incidents_of
from twin.api.cost import ledger_of
from twin.commands.edit.command import EditedScene
from twin.planning.risk.failure_table import failure_table, rate_words
from twin.record.events import Event, Severity
from twin.record.reader import Reader
from twin.report.charts import Bar, waterfall
from twin.report.comparison.report import change_words, compare_report
from twin.report.engineer_words import limit_answer, repairs_words
from twin.report.markup import Markup, number, table, tag
from twin.report.pages import unbroken
from twin.report.paper import laid_out
from twin.report.published import A_DAY, PublishedFigure
from twin.report.run_assumptions import assumptions, scene_inputs
from twin.report.run_data import RunFacts
from twin.report.run_facts import ledger_rows
from twin.report.run_money import RunMoney, money_words
from twin.report.run_report import ReportPicture, picture_times, run_report
from twin.report.run_story import events_worth_knowing
from twin.report.run_summary import cost, expected_words, verdict
from twin.report.style import STYLE
from twin.runtime.inline import InlineClient, run
from twin.scenario import load
from twin.scenario.file.diff import differences
from twin.scenario.schema.document import Scenario

VOID = {"br", "img", "meta", "link", "hr"}
HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">\'"& </style></title>'


class Page(HTMLParser):
    """Reads a page as a browser would: elements in their nesting, figures by name, text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.figures: dict[str, str] = {}
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        if tag not in VOID:
            self.open.append(tag)
        if found.get("data-figure"):
            self.figures[str(found["data-figure"])] = str(found["value"])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data.replace("\N{NO-BREAK SPACE}", " ")

    def all(self, name: str) -> list[dict[str, str | None]]:
        return [found for tag, found in self.tags if tag == name]


@pytest.fixture(scope="module")
def blackout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "blackout.twinrun"
    run(load("builtin:blackout").scenario, record=path)
    return path


@pytest.fixture(scope="module")
def text(blackout: Path) -> str:
    with Reader(blackout) as reader:
        return run_report(reader, [ReportPicture(b"\x89PNG", "At work, 10:00")])


def test_the_network_is_as_full_as_its_fullest_cables_in_the_frames(text: str, blackout: Path) -> None:
    with Reader(blackout) as reader:
        times_s = np.linspace(0.0, reader.t_end_s, 40)
        full_pct = max(float(np.max(reader.frame(time_s).values["bundle.load"])) for time_s in times_s)
    said = re.search(r"busiest link of the network was (\d+) % full", Page(text).text)
    assert said is not None
    assert float(said[1]) == pytest.approx(full_pct, abs=0.55), "cables are recorded in whole percent"
    alone = replace(facts(), scenario=load("builtin:lab-16").scenario)
    assert "network" not in "".join(limit_answer(alone))
    assert "network was 5 % full" in limit_answer(replace(alone, link_load=0.05))[-1]


def test_money_is_that_of_the_books(text: str, blackout: Path) -> None:
    books = twin.cost(blackout)
    said = Page(text).figures
    assert float(said["capital_usd"]) == float(np.median(books.drawn.capital.total_usd))
    with twin.open_run(blackout) as run:
        total = ledger_of(run, books).total_usd
    assert float(said["run_usd"]) == pytest.approx(float(np.median(total)), rel=1e-12)
    assert text.count("often quoted") == 3
    short = replace(books, bill=replace(books.bill, notes=("No price.", "No power.", "No cooling.")))
    assert money_words(RunMoney(short)).endswith(
        "No price. No power. The section Money tells what else they leave out."
    )


def test_sums_of_parts_and_first_starts_have_their_notes(text: str) -> None:
    said = Page(text).text
    assert "those of parts add up in the mean, not as P5, P50, P95 and shares." in said
    assert re.search(r"\d stops? \+ \d+ first starts? = \d+ starts in the ledger", said) is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lab-16", "llama3-16k", "nvl72-row"])
def test_the_first_page_has_slack(name: str, tmp_path: Path, qapp: object) -> None:
    """Of its height 8 % are free: a longer sentence, or a table of one line more, spills nothing."""
    path = tmp_path / "a.twinrun"
    run(load(f"builtin:{name}").scenario, until_s=86400.0 if name == "lab-16" else 2 * 86400.0, record=path)
    picture = QImage(1200, 675, QImage.Format.Format_RGB32)
    picture.fill(0)
    data = QByteArray()
    picture.save(QBuffer(data), "PNG")  # type: ignore[call-overload]
    with Reader(path) as reader:
        laid = laid_out(run_report(reader, [ReportPicture(bytes(data.data()), "At work, 10:00")]))
    assert laid.page_ends()[0] <= 0.92
    assert laid.page_of["engineering"] == 3


def test_every_element_is_closed_and_every_section_is_there(text: str) -> None:
    page = Page(text)
    assert "useful steps / steps of an ideal run of these GPUs" in page.text  # goodput, which is at most ETTR
    assert "exceed 100 %" not in page.text
    assert page.open == []
    ids = [found["id"] for found in page.all("section")]
    wanted = ["summary", "figures", "work"]
    wanted += [
        "engineering",
        "ledger",
        "why",
        "causes",
        "facility",
        "reliability",
        "hall",
        "events",
        "jobs",
        "money",
    ]
    wanted += ["year", "all", "rules"]
    wanted += ["method", "theory", "how", "story", "run", "sources", "glossary", "appendix", "constants"]
    assert ids == wanted
    links = [found["href"] for found in page.all("a")]
    assert links == [f"#{one}" for one in wanted]
    assert len(page.all("dt")) - len(_cards(text)) == 4 + 4 + 4, "each of three readers has four questions"
    assert len(page.all("svg")) >= 5
    assert all(found.get("role") == "img" and found.get("aria-label") for found in page.all("svg"))


def _cards(text: str) -> list[dict[str, str | None]]:
    return Page(text.partition('class="cards"')[2].partition("</dl>")[0]).all("dt")


def test_failures_by_cause_add_up_to_their_accounts(text: str, blackout: Path) -> None:
    """Cause by cause, count x GPU-hours each = GPU-hours, and all of them what the incidents cost."""
    with Reader(blackout) as reader:
        found = incidents_of(reader)
    said = Page(text).figures
    by_cause = {key: float(value) for key, value in said.items() if key.startswith("cause.")}
    total = by_cause.pop("cause.all")
    assert total == pytest.approx(sum(by_cause.values()))
    assert total == pytest.approx(sum(found.gpu_s.values()))
    assert len(by_cause) == len(found.by_cause) > 1


def test_no_number_is_parted_from_its_unit(text: str) -> None:
    """In all text of the report, between tags; ids, hashes and names of files have no units."""
    texts = re.findall(r">([^<]+)<", text.partition("</style>")[2])
    parted = [
        words
        for words in texts
        if re.search(r"\d (?:%|W|kW|MW|kWh|MWh|GWh|m³|°C|USD|GPU-h|t CO2)(?![\w-])", words)
    ]
    assert parted == []
    assert "\N{NO-BREAK SPACE}MW" in text
    assert "GPU-h" in text


def test_units_are_bound_to_their_numbers() -> None:
    assert unbroken("<p>15.7 MW of 2 million USD</p>") == "<p>15.7~MW of 2~million~USD</p>".replace(
        "~", "\xa0"
    )
    assert unbroken('<p title="1 MW">3 mW 4 Wh</p>') == '<p title="1 MW">3 mW 4 Wh</p>'


def test_its_figures_are_those_of_the_summary(text: str, blackout: Path) -> None:
    with Reader(blackout) as reader:
        summary = reader.summary
        events = reader.event_count
    assert summary is not None
    said = Page(text).figures
    for figure in FIGURES:
        value = figure.of(summary)
        if value is not None:
            assert float(said[figure.key]) == value, figure.key
    booked = {
        key.removeprefix("ledger."): float(value) for key, value in said.items() if key.startswith("ledger.")
    }
    assert booked == {key: value for key, value in summary["ledger_gpu_s"].items() if value}
    assert (int(said["seed"]), int(said["events"]), int(said["gpus"])) == (1, events, 576)


def test_it_asks_for_nothing_outside_and_runs_nothing(text: str) -> None:
    page = Page(text)
    assert not page.all("script")
    assert not page.all("link")
    assert not page.all("iframe")
    for tag_, found in page.tags:
        assert not [key for key in found if key.startswith("on")], tag_
        for key in ("src", "href", "xlink:href", "action", "data"):
            assert str(found.get(key) or "#").startswith(("#", "data:image/png")), (tag_, found)
    assert "url(" not in text
    policies = [found["content"] for found in page.all("meta") if found.get("http-equiv")]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]


def test_it_tells_what_happened_why_and_what_it_stands_on(text: str) -> None:
    said = Page(text).text
    for words in (
        "Two utility outages",
        "gpu/0 (144 nodes) without power from 10:25:45 to 10:50:00, after ups-a/0: battery exhausted",
        "power failure",
        "GB200 NVL72",
        "recalled",
        "Profile gb200",
    ):
        assert words in said, words


def test_a_hostile_file_cannot_act(tmp_path: Path) -> None:
    scenario: Scenario = load("builtin:lab-16").scenario
    scenario = scenario.model_copy(
        update={
            "title": HOSTILE,
            "notes": f"{HOSTILE}\n\n{HOSTILE}",
            "sources": (HOSTILE,),
            "duration_s": 40_000.0,
        }
    )
    path = tmp_path / "hostile.twinrun"
    run(scenario, record=path)
    with closing(sqlite3.connect(path)) as file, file:  # as a stranger could write it
        file.execute("UPDATE events SET text = ?, subject = ? WHERE severity >= 2", (HOSTILE, HOSTILE))
        file.execute("UPDATE header SET value = ? WHERE key = 'created'", (HOSTILE,))
        file.execute(
            "UPDATE progress SET summary = json_set(summary, '$.jobs[0].id', ?, '$.jobs[0].state', ?)",
            (HOSTILE, "<b>done</b>"),
        )
    with Reader(path) as reader:
        text = run_report(reader, [ReportPicture(b"", HOSTILE)], HOSTILE)
    page = Page(text)
    assert page.open == []
    assert not page.all("script")
    assert [found for found in page.all("img") if found.get("src") == "x"] == []
    assert "<b>done</b>" not in text
    assert all("onerror" not in found for _, found in page.tags)
    assert page.text.count(HOSTILE) >= 8
    assert "<b>done</b>" in page.text


def test_a_run_that_is_not_over_is_told_as_such(tmp_path: Path) -> None:
    client = InlineClient()
    client.load(load("builtin:lab-16").scenario, run_file=tmp_path / "a.twinrun")
    for _ in range(20):
        client.step()
    client.pause()
    with Reader(tmp_path / "a.twinrun") as reader:
        page = Page(run_report(reader))
    client.close()
    assert page.open == []
    assert "This run has not finished: it has reached" in page.text.partition("Contents")[0] + page.text[:600]
    assert "so far; the run has not finished" in page.text
    assert "Goodput" in page.text  # key figures are those so far, none is missing


def test_the_worst_moment_is_the_one_at_which_jobs_get_on_least(tmp_path: Path) -> None:
    """A node is down for hours while all else is at work; the job stands when it fails, at 9 h."""
    run(load("builtin:lab-16").scenario, record=tmp_path / "lab.twinrun")
    with Reader(tmp_path / "lab.twinrun") as reader:
        times = picture_times(reader, reader.events())
        (worst_s,) = [t_s for t_s, title in times if "worst" in title]
        goodput = reader.series(0, "site.goodput_now", 0.9 * worst_s, worst_s)
    assert goodput.low[-1] == 0.0


def test_waterfalls_begin_at_zero_or_draw_their_steps_alone() -> None:
    """62 % is 62 % of the width; where steps are a few per cent, the ends have figures only."""

    def rects(bars: list[Bar]) -> list[float]:
        return [float(width) for width in re.findall(r'<rect[^>]* width="([\d.]+)"', waterfall(bars, "way"))]

    whole = [Bar("installed", 0.0, 100.0, "", "whole"), Bar("lost", 100.0, 62.0, "", "loss")]
    wide = rects([*whole, Bar("productive", 0.0, 62.0, "", "left")])
    assert wide[2] / wide[0] == pytest.approx(0.62, abs=0.005)
    small = [
        Bar("a", 0.0, 1000.0, "", "left"),
        Bar("x", 1000.0, 992.0, "", "takes"),
        Bar("y", 992.0, 996.0, "", "adds"),
    ]
    steps = rects([*small, Bar("b", 0.0, 996.0, "", "left")])
    assert len(steps) == 2
    assert steps[1] / steps[0] == pytest.approx(0.5, abs=0.01)


def test_a_report_of_an_older_version_says_so_in_its_head(blackout: Path, tmp_path: Path) -> None:
    with Reader(blackout) as reader:
        assert "An older version made this run" not in run_report(reader)
        reader.save_copy(tmp_path / "old.twinrun")
    with closing(sqlite3.connect(tmp_path / "old.twinrun")) as file, file:
        file.execute("""UPDATE header SET value = '{"twin": "0.1.0"}' WHERE key = 'versions'""")
    with Reader(tmp_path / "old.twinrun") as reader:
        assert "An older version made this run" in Page(run_report(reader)).text


def test_pictures_are_taken_at_work_worst_and_end(blackout: Path) -> None:
    with Reader(blackout) as reader:
        times = picture_times(reader, reader.events())
    assert [re.split("[,;:]", title)[0] for _, title in times] == [
        "At work",
        "The worst moment",
        "At the end",
    ]
    (start_s, _), (worst_s, worst), (end_s, _) = times
    assert 0.0 < start_s < worst_s < end_s == 7200.0
    assert 2440.0 <= worst_s < 3300.0  # all is dark
    assert "144 nodes without power" in worst or "108 nodes" in worst or "battery" in worst


def test_what_is_no_markup_is_escaped_and_unknown_is_no_number() -> None:
    assert tag("p", "<i>", Markup("<b>x</b>"), title='"') == '<p title="&quot;">&lt;i&gt;<b>x</b></p>'
    assert number(None, "") == '<span class="unknown">unknown</span>'
    assert '<th scope="row">&lt;' in table(("a", "b"), [("<", 1)])


def test_two_designs_beside_each_other(tmp_path: Path) -> None:
    scenario = load("builtin:lab-16").scenario.model_copy(update={"duration_s": 50_000.0})
    other = scenario.model_copy(update={"title": HOSTILE, "duration_s": 60_000.0})
    samples = [sample_of(run(one).engine.summary()) for one in (scenario, other)]
    found = compare([samples[0]], [samples[1]], [1])
    text = compare_report((HOSTILE, "B"), (scenario.title, other.title), found, differences(scenario, other))
    page = Page(text)
    assert page.open == []
    assert not page.all("script")
    assert float(page.figures["goodput.a"]) == samples[0].figures["goodput"]
    assert float(page.figures["goodput.b"]) == samples[1].figures["goodput"]
    assert "productive in A" in page.text
    assert "Duration: 50000 s" in page.text
    changes = differences(scenario, other)
    assert changes[0].path == "title"
    assert change_words(("A", "B"), changes).startswith("Duration"), "what runs before what is told of it"
    assert HOSTILE in page.text


def test_a_hall_where_nothing_fails_says_so_once(tmp_path: Path) -> None:
    scenario = load("builtin:lab-16").scenario
    none = scenario.failures.model_copy(update={"causes": ()})
    update = {"failures": none, "interventions": (), "duration_s": 3600.0}
    run(scenario.model_copy(update=update), record=tmp_path / "calm.twinrun")
    with Reader(tmp_path / "calm.twinrun") as reader:
        page = Page(run_report(reader))
    summary = page.text.partition("At a glance")[2]
    assert "Nothing fails by itself in this scene, so its risk is not told." in page.text
    assert "Unexpected interruptionsnothing fails" in summary
    assert "unknown" not in summary.partition("Engineering")[0]


def test_a_mean_repair_time_names_those_that_did_not_end() -> None:
    assert repairs_words({"done": 25, "open": 13}) == "over 25 repairs that ended; 13 still open"
    assert repairs_words({"done": 1, "open": 0}) == "over 1 repair"


def test_what_was_counted_ends_and_rates_are_told_beside_one_draw() -> None:
    """A job of known work tells its end; the number of one seed stands beside what the rates give."""
    scenario = load("builtin:llama3-16k").scenario
    job = {"id": "llama3-405b", "gpus": 16384, "state": "running", "steps": 250, "start_s": 0.0}
    summary = {"jobs": [job], "interruptions": {"unexpected": 465}}
    facts = RunFacts(scenario, summary, True, 54 * 86400.0, {}, None, "", (), None, None, 419.0)  # type: ignore[arg-type]
    assert "The scene sets no end of it." in verdict(facts)
    (spec,) = scenario.jobs
    asked = scenario.model_copy(update={"jobs": (spec.model_copy(update={"steps": 1000}),)})
    assert "25.0 % of its 1,000 steps; at this rate it ends on 9 August 2026, after 216 days." in verdict(
        replace(facts, scenario=asked)
    )
    said = expected_words(facts)
    assert "419 in the mean, plus or minus 20: a bad draw, one in 71 such runs has as many." in said
    assert "fitted" not in said
    published = PublishedFigure(A_DAY, 8.61, 7.76, 7.76, str, "Meta")
    assert "The rates, fitted to the published count, give 419" in expected_words(
        replace(facts, published=(published,))
    )


def test_the_appendix_lists_rates_restarts_and_prices_of_the_books() -> None:
    """Each cause that acts once, in the unit of what its rate is of; every price with its own."""
    edited = EditedScene.of(load("builtin:lab-16"))
    page = Page(assumptions(edited.scenario, edited.plant, edited.catalog))
    rows = [row for row in failure_table(edited.scenario, edited.plant, edited.catalog).rows if row.acts]
    assert rows
    assert all(page.text.count(f"{row.title}{rate_words(row)}") == 1 for row in rows)
    assert "Water and sewage2.5 USD per m³1 to 5estimated" in page.text
    assert "Interest8 % of capital, a year6 to 11estimated" in page.text
    assert "Shou et al." not in page.text, "its repairs always take as long"
    failures = edited.scenario.failures.model_copy(update={"repair_constant_s": None})
    drawn = edited.scenario.model_copy(update={"failures": failures})
    assert "Shou et al. 2025, arXiv 2502.03885" in Page(assumptions(drawn, edited.plant, edited.catalog)).text


def test_each_input_of_a_scene_has_a_standing_and_a_reason() -> None:
    """Those that a default stands for and those that the scene sets; a job that does not shrink has no patience."""
    scenario = load("builtin:llama3-16k").scenario
    said = Page(str(scene_inputs(scenario))).text
    for row in (
        "detect15 sdetection time of a reported failureassumed: default1 to 30 s",
        "load200 GB/scheckpoint read; none: the store's read bandwidthassumed by the scene",
        "pause10 sblocking part of a writeassumed: default",
        "energy price0.06 USD/kWhenergy priceassumed by the scene",
        "carbon414 g/kWhcarbon intensityassumed by the scene",
    ):
        assert row in said, row
    assert "patience" not in said
    (job,) = scenario.jobs
    recovery = job.recovery.model_copy(update={"policy": "shrink"})
    jobs = (job, job.model_copy(update={"id": "other", "recovery": recovery}))
    both = Page(str(scene_inputs(scenario.model_copy(update={"jobs": jobs})))).text
    assert "patience of other0 s" in both
    assert "detect of llama3-405b15 s" in both


def test_what_clouds_took_is_beside_what_the_site_costs() -> None:
    cloud = {"gpu_h": 830.9, "cost_usd": 2451.17, "egress_usd": 48.83}
    facts = RunFacts(None, {"cloud": {"elbe": cloud}}, True, 1.0, {}, None, "Nothing is known.", ())  # type: ignore[arg-type]
    assert cost(facts) == "Nothing is known. 830.9 GPU-h in the cloud took 2,500 USD more."
    assert cost(replace(facts, summary={"cloud": {"elbe": dict.fromkeys(cloud, 0)}})) == "Nothing is known."


def test_losses_are_in_one_order_in_words_and_tables() -> None:
    """Both idle accounts of the laboratory have the same GPU time."""
    ledger = {
        "productive": 9.0,
        "idle_in_repair": 2.0,
        "lost_work": 3.0,
        "idle_reserved": 2.0,
        "detection": 0.0,
    }
    facts = RunFacts(None, {}, True, 1.0, ledger, None, "", ())  # type: ignore[arg-type]
    assert facts.losses == [account for account, *_ in ledger_rows(ledger) if account != "productive"]
    assert facts.losses[0] == "lost_work"


def test_alarms_name_their_component_once_with_abbreviations_in_capitals() -> None:
    events = [
        Event(row, 0.0, "failure", subject, Severity.ALARM, text, {})
        for row, (subject, text) in enumerate((("gpu/0/1", "gpu hbm3 memory"), ("gpu/0/2", "cpu")))
    ]
    waits = Event(2, 0.0, "waiting_for_spare", "llama3", Severity.ALARM, "llama3 waits", {})
    said = Page(events_worth_knowing([*events, waits], str)).text
    assert "llama3 waits" in said
    assert "llama3: llama3" not in said
    assert "gpu/0/1: GPU HBM3 memory" in said
    assert "gpu/0/2CPU" in said


def test_on_narrow_screens_words_stay_whole_and_wide_things_scroll() -> None:
    narrow = STYLE.partition("@media (max-width:640px){.questions")[2].partition("@media print")[0]
    for rule in (
        ".scroll th{overflow-wrap:break-word",
        "figure:has(svg){overflow-x:auto}",
        ".sources{min-width:",
    ):
        assert rule in narrow
