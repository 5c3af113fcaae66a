# ruff: noqa: E501 - lines of traces are as long as they come
"""Readers of job traces, on samples written by hand after the published descriptions of their formats."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.scenario.formats.trace_file import format_of, table_of
from twin.scenario.formats.trace_rows import TraceTable, pack, packed_text, unpack, unpacked_text
from twin.scenario.schema.streams import TraceMap
from twin.scenario.text.problem import ScenarioError

SWF = """; Version: 2.2
; MaxProcs: 64
  1  100   5   60   4  -1 -1   4  120 -1  1  3  2 -1  1 -1 -1 -1
  2   90  -1   30  -1  -1 -1   8   -1 -1  1  4  2 -1  1 -1 -1 -1
  3  110  -1   -1  -1  -1 -1   8   60 -1  5  4  2 -1  1 -1 -1 -1
  4  111  -1    0   2  -1 -1   8   60 -1  0  4  2 -1  1 -1 -1 -1
  5  112   1   10   2  -1 -1   8   60 -1  3  4  2 -1  1 -1 -1 -1
  6  113   1   10   0  -1 -1   0   60 -1  1  4  2 -1  1 -1 -1 -1
"""
SACCT = """JobID|JobName|User|Account|Partition|Submit|Start|End|ElapsedRaw|Timelimit|NNodes|NCPUS|AllocTRES|State
100|train|anna|ml|gpu|2026-01-05T10:00:00|2026-01-05T10:01:00|2026-01-05T11:01:00|3600|1-02:00:00|2|64|billing=64,cpu=64,gres/gpu:h100=16,gres/gpu=16,node=2|COMPLETED
100.batch|batch||ml||2026-01-05T10:00:00|2026-01-05T10:01:00|2026-01-05T11:01:00|3600||1|32|cpu=32|COMPLETED
100.extern|extern||ml||2026-01-05T10:00:00|2026-01-05T10:01:00|2026-01-05T11:01:00|3600||2|64|cpu=64|COMPLETED
101_7|a|b sweep|bob|bio|gpu,old|2026-01-05T10:00:30|2026-01-05T10:02:00|2026-01-05T10:03:00|60|UNLIMITED|1|8|cpu=8,gres/gpu:a100=1,gres/gpu:h100=1|TIMEOUT
102|cpu|bob|bio|cpu|2026-01-05T10:00:40|2026-01-05T10:02:00|2026-01-05T10:03:00|60|10:00|1|8|cpu=8,node=1|COMPLETED
103|gone|bob|bio|gpu|2026-01-05T10:00:50|Unknown|2026-01-05T10:03:00|0|10:00|1|8||CANCELLED by 1000
104|now|bob|bio|gpu|2026-01-05T10:00:55|2026-01-05T10:03:00|Unknown|70|10:00|1|8|gres/gpu=1|RUNNING
"""
PHILLY = """[
 {"status": "Pass", "vc": "vc-a", "jobid": "application_1_2", "user": "u1", "submitted_time": "2017-10-03 10:00:00",
  "attempts": [
   {"start_time": "2017-10-03 10:10:00", "end_time": "2017-10-03 10:20:00",
    "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}]},
   {"start_time": "2017-10-03 10:30:00", "end_time": "2017-10-03 11:00:00 PST",
    "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}, {"ip": "m2", "gpus": ["gpu0", "gpu1"]}]}]},
 {"status": "Killed", "vc": "vc-a", "jobid": "b", "user": "u2", "submitted_time": "2017-10-03 09:00:00", "attempts": []},
 {"status": "Failed", "vc": "vc-b", "jobid": "c", "user": "u2", "submitted_time": "2017-10-03 09:30:00",
  "attempts": [{"start_time": "2017-10-03 09:40:00", "end_time": null, "detail": [{"ip": "m", "gpus": ["gpu0"]}]}]}
]
"""
HELIOS = """job_id,user,vc,jobname,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
77,u3,vcA,"train, big",16,64,2,COMPLETED,2020-04-01 00:00:10,2020-04-01 00:01:10,2020-04-01 01:01:10,3600,60
78,u3,vcA,cpu,0,64,2,COMPLETED,2020-04-01 00:00:11,2020-04-01 00:01:10,2020-04-01 01:01:10,3600,60
79,u4,vcB,x,1,4,1,CANCELLED,2020-04-01 00:00:12,,,0,60
"""
ACME = """job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time
dlc1,u9,8,64,512,1000,500,Pretrain,FAILED,2023-05-17 11:00:58+00:00,2023-05-17 11:01:00+00:00,2023-05-17 11:02:00+00:00,,,,2,
dlc2,u9,1.0,1.0,8,100,50,Other,COMPLETED,2023-05-17 11:00:00+00:00,2023-05-17 11:01:00+00:00,2023-05-17 11:02:00+00:00,,,60.0,2,60
"""
GAVEL = (
    "ResNet-18 (batch size 32)\tcd x && python3 main.py\t--num_steps\t1\t5600\t10.000000\t1\n"
    "Own model\tpython3 own.py\t-n\t0\t300\t0.500000\t4\n"
)


def test_swf_takes_what_ran_and_counts_the_rest() -> None:
    table = table_of(SWF, "a.swf")
    assert table.format == "swf"
    assert [(row.name, row.submit_s, row.run_s, row.processors, row.limit_s) for row in table.rows] == [
        ("2", 90.0, 30.0, 8.0, None),  # processors asked for, as those used are unknown
        ("1", 100.0, 60.0, 4.0, 120.0),
    ]
    assert (table.rows[1].user, table.rows[1].group, table.rows[1].partition) == (
        "user-3",
        "group-2",
        "queue-1",
    )
    assert table.left_out == {
        "cancelled before they started": 1,
        "without a running time": 1,
        "parts of jobs that have a line of their own": 1,
        "without processors": 1,
    }


def test_sacct_takes_jobs_without_their_steps() -> None:
    table = table_of(SACCT, "sacct.txt")
    first, second = table.rows
    assert (first.name, first.user, first.group, first.partition) == ("100", "anna", "ml", "gpu")
    assert (first.gpus, first.run_s, first.limit_s) == (16.0, 3600.0, 26 * 3600.0)
    assert (second.name, second.title, second.gpus, second.limit_s) == ("101_7", "a|b sweep", 2.0, None)
    assert second.submit_s - first.submit_s == 30.0
    assert table.left_out == {
        "without GPUs": 1,
        "cancelled before they started": 1,
        "still waiting or running": 1,
    }


def test_sacct_without_gpus_counts_processors_and_reads_other_columns() -> None:
    text = "JobID|Submit|Start|End|TimelimitRaw|AllocCPUS|\n5|1767607200|1767607260|1767607320|90|48|\n"
    (row,) = table_of(text, "s").rows
    assert (row.gpus, row.processors, row.run_s, row.limit_s) == (None, 48.0, 60.0, 5400.0)
    text = "JobID|Submit|Elapsed|NNodes|AllocGRES\n5|2026-01-05T10:00:00|1-00:00:10|3|gpu:h100:4\n"
    (row,) = table_of(text, "s").rows
    assert (row.gpus, row.run_s) == (12.0, 86410.0)


def test_philly_adds_up_attempts_and_takes_the_largest() -> None:
    table = table_of(PHILLY, "cluster_job_log")
    (row,) = table.rows
    assert (row.name, row.user, row.group) == ("application_1_2", "u1", "vc-a")
    assert (row.gpus, row.run_s) == (4.0, 600.0 + 1800.0)
    assert table.left_out == {"cancelled before they started": 1, "without a running time": 1}


def test_helios_and_acme_are_told_apart_by_their_columns() -> None:
    helios, acme = table_of(HELIOS, "cluster_log.csv"), table_of(ACME, "trace_kalos.csv")
    assert (helios.format, acme.format) == ("helios", "acme")
    (row,) = helios.rows
    assert (row.name, row.title, row.gpus, row.run_s, row.group) == ("77", "train, big", 16.0, 3600.0, "vcA")
    assert helios.left_out == {"without GPUs": 1, "cancelled before they started": 1}
    assert [(row.name, row.title, row.gpus, row.run_s) for row in acme.rows] == [
        ("dlc2", "Other", 1.0, 60.0),
        ("dlc1", "Pretrain", 64.0, 60.0),
    ]


def test_gavel_takes_steps_at_the_rate_of_the_kind_or_of_the_scene() -> None:
    table = table_of(GAVEL.splitlines()[0], "a.trace")
    assert table.rows[0].run_s == pytest.approx(5600 / 56)
    table = table_of(GAVEL, "a.trace", rules=TraceMap(throughput=2.0))
    assert [(row.submit_s, row.gpus, row.run_s) for row in table.rows] == [
        (0.5, 4.0, 150.0),
        (10.0, 1.0, 2800.0),
    ]
    with pytest.raises(ScenarioError, match=r"a\.trace:2: job_type = 'Own model'.*map\.throughput"):
        table_of(GAVEL, "a.trace")
    nine = "CycleGAN\tpython3 x\t-n\t0\t600\t2\t1.0\t-1.0\t7.5\n"
    (row,) = table_of(nine, "b").rows
    assert (row.submit_s, row.gpus) == (7.5, 2.0)
    assert row.run_s == pytest.approx(600 / (6.0 * math.sqrt(2)))


def test_ends_of_lines_and_marks_of_dos_do_not_matter() -> None:
    for text in (SWF, SACCT, HELIOS, ACME, PHILLY, GAVEL.splitlines()[0]):
        dos = text.replace("\n", "\r\n")
        assert table_of(dos, "x").rows == table_of(text, "x").rows


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "t:1: is empty"),
        ("hello world\n", "t:1: 'hello world': unknown trace format"),
        ("1 2 x 4 5\n", "unknown trace format"),
        ("; SWF\n1 2 3 4x 5\n", "t:2: run = '4x': is not a number"),
        ("; SWF\n1 2 3\n", "t:2: has 3 fields"),
        ("; SWF\n1 2 3 -1 5\n", "has no job that ran, read as swf: 1 without a running time"),
        ("JobID|Submit\n1|2\n", "t:1: has no field Elapsed"),
        ("JobID|Submit|ElapsedRaw|NCPUS\n1|tomorrow|5|2\n", "t:2: Submit = 'tomorrow': is not a time"),
        ("JobID|Submit|ElapsedRaw|NCPUS\n1|2|5\n", "t:2: has 3 cells, the first line has 4"),
        ("JobID|Submit|Elapsed|NCPUS\n1|2|soon|4\n", "t:2: Elapsed = 'soon': is not a time span"),
        ("[{\n", "is not JSON"),
        ('[\n{"jobid": 1}]', "t:2: submitted_time: is missing in this job"),
        ("[3]", "t:1: '3': is not a job"),
        ("job_id,gpu_num,submit_time\n", "t:1: has no column 'duration'"),
        ("job_id,gpu_num,submit_time,duration\n1,many,2,3\n", "t:2: gpu_num = 'many': is not a number"),
        ("A3C\tx\t-n\t1\t5\t0\t1\nA3C\tx\n", "t:2: has 2 cells"),
    ],
)
def test_what_is_wrong_is_told_with_line_key_and_value(text: str, said: str) -> None:
    with pytest.raises(ScenarioError) as error:
        table_of(text, "t")
    assert said in str(error.value)


def test_many_wrong_cells_end_with_one_sentence() -> None:
    text = "; SWF\n" + "a b c d e\n" * 100
    with pytest.raises(ScenarioError) as error:
        table_of(text, "t")
    assert 10 < len(error.value.problems) < 20


@given(st.text(max_size=400))
def test_garbage_is_refused_or_read_and_never_crashes(text: str) -> None:
    for format in (None, "swf", "sacct", "philly", "helios", "acme", "gavel"):
        try:
            table = table_of(text, "t", format)
        except ScenarioError:
            continue
        assert unpack(pack(table)) == table


@given(st.data())
def test_damaged_traces_are_refused_or_read_and_never_crash(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([SWF, SACCT, PHILLY, HELIOS, ACME, GAVEL]))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    middle = data.draw(st.text(alphabet='0123456789-.:|,\t\n"[]{}eNnaif ', max_size=12))
    try:
        table = table_of(text[:start] + middle + text[end:], "t", rules=TraceMap(throughput=1.0))
    except ScenarioError:
        return
    assert all(row.run_s > 0 and math.isfinite(row.run_s) for row in table.rows)
    assert unpack(pack(table)) == table


def test_rows_come_back_and_foreign_text_is_refused() -> None:
    table = table_of(SACCT, "s")
    assert unpack(pack(table)) == table
    for wrong in ("", "x", pack(table)[:-8], packed_text("{}"), packed_text('{"format": "swf"}\n1\t2')):
        with pytest.raises(ValueError, match="remove it"):
            unpack(wrong)
    assert unpacked_text(packed_text("a\nb")) == "a\nb"


def test_some_of_the_jobs_keep_their_numbers() -> None:
    text = "\n".join(f"{n} {n * 10} 0 5 1" for n in range(20))
    table = table_of(text, "t", rules=TraceMap(skip=5, first=3))
    assert [row.number for row in table.rows] == [5, 6, 7]
    assert table.jobs == 20
    with pytest.raises(ScenarioError, match=r"map\.skip skips all"):
        table_of(text, "t", rules=TraceMap(skip=20))


def test_formats_are_told_by_what_files_hold() -> None:
    texts = {"swf": SWF, "sacct": SACCT, "philly": PHILLY, "helios": HELIOS, "acme": ACME, "gavel": GAVEL}
    assert {name: format_of(text, "t") for name, text in texts.items()} == {name: name for name in texts}
    assert isinstance(table_of(SWF, "t", "swf"), TraceTable)


@pytest.mark.parametrize("asked", ["1e14", "999999999999"])
def test_a_job_of_more_gpus_than_there_can_be_is_told_by_its_line(asked: str) -> None:
    with pytest.raises(ScenarioError, match=r"t:2: .*implausible number of GPUs"):
        table_of(f"1 0 -1 10 4 -1 -1 4\n2 5 -1 10 {asked} -1 -1 {asked}\n", "t", "swf")
