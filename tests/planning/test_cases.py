"""Tables of training runs: what columns mean, what blanks take, and how a bad cell is told."""

from __future__ import annotations

import csv
import io

import pytest
from case_texts import ONE, csv_of, one
from hypothesis import given, settings
from hypothesis import strategies as st

from twin.physics.model_shape import AttentionWindow, StateSpace
from twin.physics.training import step_time
from twin.physics.training_inputs import Experts, Parallel, SoftwareStack
from twin.planning.profile.models import load_model
from twin.planning.profile.profiles import load_calibrated, load_profile
from twin.planning.table.case_columns import COLUMNS, column_of
from twin.planning.table.case_file import CaseFileError, parse_cases, read_case_file, write_csv
from twin.planning.table.case_model import profile_of_gpu
from twin.planning.table.case_output import ADDED_COLUMNS, csv_rows, json_rows, output_columns, summary
from twin.planning.table.estimate_cases import CaseEstimate, errors_of, judge_table


def judged_one(**changes: str | None) -> CaseEstimate:
    (judged,) = judge_table(parse_cases(one(**changes), "one.csv"))
    return judged


def predicted(**changes: str | None) -> float:
    judged = judged_one(**changes)
    assert judged.predicted_s is not None, judged.reason
    return judged.predicted_s


def test_a_row_is_the_step_time_of_its_job() -> None:
    parts = step_time(
        load_model("llama3-405b").model,
        Parallel(8, 8, 2, 4, 8, 1, 256),
        SoftwareStack(deferred_head=True),
        load_profile("h100"),
    )
    assert predicted() == parts.step_s
    assert predicted(gpus=None, dp="4") == parts.step_s
    assert predicted(dp="4") == parts.step_s
    assert predicted(dp="8") == parts.step_s  # counts the context groups too


@pytest.mark.parametrize(
    ("changes", "profile"),
    [
        ({"source": "Megatron-LM images/model_table.png (Megatron-Core r0.8.0)"}, "h100-megatron"),
        ({"source": "NVIDIA/dgxc-benchmarking nemo_megatron/README_175b.md"}, "h100"),
        ({"source": "DeepSpeed on H100"}, "h100"),
        ({"stack": "megatron core"}, "h100-megatron"),
        ({"framework": "Megatron_LM"}, "h100-megatron"),
        ({"framework": "NeMo", "source": "Megatron-LM"}, "h100"),
        ({"software": "NeMo", "framework": "Megatron-Core"}, "h100-megatron"),
        ({"gpu": "A100-80GB", "source": "vTrain; A100, Megatron-DeepSpeed, 1F1B"}, "a100-deepspeed"),
        ({"gpu": "A100-80GB", "source": "Megatron-LM git history"}, "a100"),
        ({"profile": "h100", "stack": "Megatron-Core"}, "h100"),
    ],
)
def test_software_that_a_row_names_chooses_the_profile(changes: dict[str, str], profile: str) -> None:
    judged = judged_one(**changes)
    assert judged.case is not None, judged.reason
    assert judged.case.calibrated.name == profile


@pytest.mark.parametrize(("kv_heads", "said"), [("5", "use 4"), ("48", "use 32"), ("64", "use 32")])
def test_key_value_heads_that_no_model_has(kv_heads: str, said: str) -> None:
    cells = {
        "model": None,
        "layers": "32",
        "hidden": "4096",
        "heads": "32",
        "seq": "4096",
        "kv_heads": kv_heads,
    }
    judged = judged_one(**cells, gpus="64", tp="2", pp="1", cp="1", vp="1")
    assert judged.parts is None
    assert f"{kv_heads} key-value heads do not divide 32 attention heads; {said}" in judged.reason


@pytest.mark.parametrize(
    ("changes", "stack"),
    [
        ({"recompute": "full(config use_checkpoint=true)"}, {"recompute": "full"}),
        ({"recompute": "Selective"}, {"recompute": "selective"}),
        ({"recompute": "1"}, {"recompute": "full"}),
        ({"recompute": "none"}, {"recompute": "none"}),
        ({"sp": "0"}, {"seq_parallel": False}),
        ({"attention": "unfused"}, {"flash": False}),
        ({"flash": "no"}, {"flash": False}),
        ({"attention": "GQA"}, {"flash": True}),
        ({"tp_overlap": "off"}, {"tp_overlap": False}),
        ({"overlap": "0"}, {"tp_overlap": False, "dp_overlap": False, "p2p_overlap": False}),
        (
            {"overlap": "0", "dp_overlap": "1"},
            {"tp_overlap": False, "dp_overlap": True, "p2p_overlap": False},
        ),
        ({"gradient_bytes": "4"}, {"grad_bytes": 4}),
        ({"optimizer": "distributed"}, {"sharding": "optimizer"}),
        ({"optimizer": "AdamW"}, {"sharding": "optimizer"}),
        ({"optimizer": "replicated"}, {"sharding": "none"}),
        ({"optimizer": "none"}, {"sharding": "none"}),
        ({"optimizer": "ZeRO-2"}, {"sharding": "gradients"}),
        ({"zero_stage": "3"}, {"sharding": "weights"}),
        ({"sharding": "FSDP"}, {"sharding": "weights"}),
        ({"distributed_optimizer": "0"}, {"sharding": "none"}),
        ({"deferred_head": "0"}, {"deferred_head": False}),
        ({"launch_ms": "1.1"}, {"launch_s": pytest.approx(1.1e-3)}),
        ({"cuda_graphs": "partial"}, {"graphs": False}),
        ({"graphs": "full"}, {"graphs": True}),
        ({"dispatcher": "HybridEP"}, {"dispatcher": "fused"}),
        ({"dispatcher": "alltoall"}, {"dispatcher": "collective"}),
        ({"force_balance": "1", "even_stages": "yes"}, {"balanced": True, "even_stages": True}),
        ({"precision": "fp8"}, {"precision": "fp8"}),
        ({"precision": "FP16"}, {"precision": "bf16"}),
        ({"precision": ""}, {"precision": "bf16"}),
    ],
)
def test_what_a_cell_says_goes_into_the_stack(changes: dict[str, str], stack: dict[str, object]) -> None:
    case = judged_one(**changes).case
    assert case is not None
    assert {key: getattr(case.stack, key) for key in stack} == stack


def test_blanks_take_the_stack_of_the_profile() -> None:
    for profile in ("h100", "a100"):
        case = judged_one(profile=profile).case
        assert case is not None
        default = load_calibrated(profile).stack
        assert case.stack == (default if profile == "a100" else SoftwareStack(deferred_head=True))


@pytest.mark.parametrize(
    ("name", "shape", "deferred"),
    [
        ("llama3.1-70B", {}, True),
        ("Llama 3.1 8B", {}, False),
        ("llama3-405b", {"layers": "42", "kv_heads": "16"}, True),
        ("nemotron4-340B", {}, True),
        ("mine", {"layers": "80", "hidden": "8192", "ffn": "28672", "heads": "64", "kv_heads": "8", "seq": "8192",
                  "vocab": "128256", "gated": "1"}, True),
        ("mine", {"layers": "80", "hidden": "8192", "ffn": "28672", "heads": "64", "kv_heads": "8",
                  "seq": "8192"}, False),
    ],
)  # fmt: skip
def test_deferred_head_goes_by_name_or_shape(name: str, shape: dict[str, str], deferred: bool) -> None:
    case = judged_one(model=name, tp="1", pp="1", cp="1", vp="1", gpus="8", **shape).case
    assert case is not None
    assert case.stack.deferred_head is deferred


def test_none_is_a_blank_where_it_is_no_answer() -> None:
    assert predicted(experts="none", step_time_s="none", vp="None", recompute="none") == predicted(vp="")


def test_shape_without_a_preset_takes_the_rules_of_gpt() -> None:
    case = judged_one(model="33B", layers="48", hidden="8192", heads="64", seq="2048", cp="1", vp="1").case
    assert case is not None
    model = case.model
    assert (model.ffn, model.kv_heads, model.vocab, model.gated) == (4 * 8192, 64, 51200, False)


def test_a_preset_name_on_another_shape_is_another_model() -> None:
    judged = judged_one(hidden="8192", heads="64")
    assert judged.predicted_s is None
    assert "must give layers, seq" in judged.reason


def test_experts_by_columns_are_low_confidence() -> None:
    case = judged_one(
        model="moe", layers="32", hidden="4096", heads="32", kv_heads="8", seq="4096", gated="1", experts="8",
        topk="2", expert_ffn="14336", tp="1", pp="4", cp="1", vp="1", ep="8", etp="1", gpus="64",
    ).case  # fmt: skip
    assert case is not None
    assert case.model.experts == Experts(8, 2, 14336)
    assert (case.parallel.ep, case.parallel.etp) == (8, 1)
    assert case.confidence == "low"


def test_network_card_sets_the_speed_between_nodes() -> None:
    assert predicted(nic="400") == pytest.approx(predicted())
    assert predicted(nic="50 GB/s") == pytest.approx(predicted())
    assert predicted(nic="100 Gb/s") > predicted(nic="200") > predicted(nic="400")
    assert predicted(nic_gbps="100") == predicted(nic_gb_s="12.5") == predicted(nic="100 Gb/s")
    assert "may be Gb/s or GB/s" in judged_one(nic="50").reason
    assert "contradict" in judged_one(nic="400", nic_gb_s="25").reason
    assert predicted(nic_GBps="50") == pytest.approx(predicted())


def test_an_open_microbatch_and_interleave_are_the_fastest_that_fit() -> None:
    kept = judged_one(microbatch="2", vp="").case
    assert kept is not None
    assert kept.parallel.microbatch == 2
    assert predicted(vp=None, microbatch=None) <= min(predicted(), predicted(microbatch="2", vp=""))


def test_measured_times_come_from_seconds_or_rates() -> None:
    by_time = judged_one(step_time_s="19.81")
    assert by_time.ratio == pytest.approx(predicted() / 19.81)
    assert judged_one(iter_time_ms="19810").ratio == pytest.approx(by_time.ratio or 0.0)
    assert by_time.case is not None
    rate = by_time.case.model.step_flop(256) / 512 / 19.81 / 1e12
    assert judged_one(tflops_per_gpu=f"{rate:.9f}").ratio == pytest.approx(by_time.ratio or 0.0)
    assert (judged_one(tflops_per_gpu="400", flops_kind="HFU (counts recompute)").measured_s or 0.0) > (
        judged_one(tflops_per_gpu="400").measured_s or 0.0
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"heads": "ninety"}, "column 'heads': 'ninety' is no number"),
        ({"tp": "0"}, "column 'tp': '0' is no whole number from 1"),
        ({"tp": "1.5"}, "column 'tp'"),
        ({"gpus": "1e400"}, "column 'gpus'"),
        ({"layers": "1000000"}, "more than any transformer has"),
        ({"gpus": "500"}, "500 GPUs are not a multiple of tensor 8 x pipeline 8 x context 2 = 128"),
        ({"gpus": None}, "column 'gpus' is blank"),
        ({"global_batch": ""}, "column 'global_batch' is blank"),
        ({"global_batch": "255"}, "not a multiple of data parallel"),
        ({"dp": "3"}, "but column 'gpus' says 512"),
        ({"gpu": "V100"}, "no profile serves GPU 'V100'"),
        ({"gpu": "H100-PCIe"}, "no profile serves GPU 'H100-PCIe'"),
        ({"gpu": ""}, "names no GPU"),
        ({"profile": "h101"}, "no such profile"),
        ({"precision": "INT4"}, "no profile was fitted to"),
        ({"recompute": "some"}, "known are none, selective and full"),
        ({"optimizer": "half"}, "known are none, distributed"),
        ({"optimizer": "zero1", "zero_stage": "3"}, "contradict each other"),
        ({"model": "unheard-of"}, "must give layers, hidden, heads, seq"),
        ({"model": ""}, "no model is named"),
        ({"kv_heads": "256"}, "do not divide 128 attention heads"),
        ({"ep": "4"}, "has no experts"),
        ({"experts": "8"}, "column 'topk'"),
        ({"nic": "fast"}, "no speed of a NIC"),
        ({"step_time_s": "-1"}, "must be positive"),
        ({"seq": "8191"}, "context parallel 2 does not divide"),
        ({"tp": "3", "gpus": "192"}, "does not divide 128 attention heads"),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_judged_says_why(changes: dict[str, str | None], said: str) -> None:
    judged = judged_one(**changes)
    assert judged.predicted_s is None
    assert said in judged.reason
    assert "\n" not in judged.reason


def test_a_row_that_does_not_fit_is_judged_and_says_so() -> None:
    judged = judged_one(pp="1", vp="1")
    assert judged.predicted_s is not None
    assert "usable on a GPU" in judged.reason


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("", 0, "", "is empty"),
        ("\n \n", 0, "", "is empty"),
        ("a,b\n1,2\n", 1, "", "no column of a training run"),
        ("gpus,tp,gpus\n1,2,3\n", 1, "gpus", "stands there twice"),
        ("gpus,tp,num_gpus\n1,2,3\n", 1, "num_gpus", "means the same as 'gpus'"),
        ('gpus,tp\n"1,2\n', 2, "", "is no CSV"),
    ],
)
def test_a_table_that_cannot_be_read_says_where(text: str, line: int, column: str, said: str) -> None:
    with pytest.raises(CaseFileError) as caught:
        judge_table(parse_cases(text, "runs.csv"))
    assert (caught.value.line, caught.value.column) == (line, column)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"runs.csv:{line}:" if line else "runs.csv:")


def test_files_that_are_no_text_are_refused(tmp_path) -> None:
    for name, data in (
        ("utf16", "gpus\n8\n".encode("utf-16")),
        ("latin", b"gpus,model\n8,Mod\xe8le\n"),
        ("zero", b"a\0b"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(CaseFileError, match=r"UTF|zero bytes"):
            read_case_file(tmp_path / name)
    with pytest.raises(CaseFileError, match="cannot be read"):
        read_case_file(tmp_path / "missing.csv")


def test_the_same_table_in_other_clothes_says_the_same(tmp_path) -> None:
    want = [judged.predicted_s for judged in judge_table(parse_cases(csv_of("dgxc"), "a.csv"))]
    semicolons = csv_of("dgxc", delimiter=";")
    tabs = csv_of("dgxc", delimiter="\t")
    head, _, rest = csv_of("dgxc").partition("\n")
    shouted = " , ".join(head.upper().split(",")) + "\n" + rest.replace(",", " , ")
    (tmp_path / "bom.csv").write_text(csv_of("dgxc"), encoding="utf-8-sig")
    for table in (
        parse_cases(semicolons, "b.csv"),
        parse_cases(tabs, "c.csv"),
        parse_cases(shouted, "d.csv"),
        read_case_file(tmp_path / "bom.csv"),
        parse_cases("sep=;\n" + semicolons, "e.csv"),
    ):
        assert [judged.predicted_s for judged in judge_table(table)] == want


def test_a_comma_may_stand_for_the_point_between_semicolons() -> None:
    keys, values = ";".join([*ONE, "step_time_s"]), ";".join([*ONE.values(), "19,81"])
    (judged,) = judge_table(parse_cases(f"{keys}\n{values}\n", "eu.csv"))
    assert judged.measured_s == 19.81


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_order_of_rows_and_columns_changes_nothing(data: st.DataObject) -> None:
    text = csv_of(data.draw(st.sampled_from(["dgxc", "megatron_core", "sc21", "korthikanti"])))
    records = list(csv.reader(io.StringIO(text)))
    columns = data.draw(st.permutations(range(len(records[0]))))
    rows = data.draw(st.permutations(range(1, len(records))))
    shuffled = io.StringIO()
    csv.writer(shuffled).writerows([records[row][column] for column in columns] for row in [0, *rows])
    plain = judge_table(parse_cases(text, "a.csv"))
    mixed = judge_table(parse_cases(shuffled.getvalue(), "b.csv"))
    assert [mixed[place].predicted_s for place in range(len(rows))] == [
        plain[row - 1].predicted_s for row in rows
    ]


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([column.name for column in COLUMNS]),
        st.one_of(
            st.text(max_size=8),
            st.integers(-5, 10**6).map(str),
            st.floats().map(str),
            st.sampled_from(
                ["H100", "full", "fp8", "none", "llama3-70b", "zero3", "h100", "400 Gb/s", "1e308"]
            ),
        ),
    )
)
def test_whatever_stands_in_a_row_it_is_judged_or_says_why(changes: dict[str, str]) -> None:
    cells = {**ONE, **changes}
    text = io.StringIO()
    writer = csv.DictWriter(text, list(cells))
    writer.writeheader()
    writer.writerow(cells)
    if "\0" in text.getvalue():
        return
    for judged in judge_table(parse_cases(text.getvalue(), "any.csv")):
        assert (judged.predicted_s is None) == (judged.parts is None)
        if judged.predicted_s is None:
            assert judged.reason
        else:
            assert judged.predicted_s > 0


def test_unknown_columns_and_the_order_of_heads_are_carried_through(tmp_path) -> None:
    table = parse_cases("colour,gpus,model,predicted_s\nred,x,y,7\n", "a.csv")
    judged = judge_table(table)
    columns, rows = output_columns(table), csv_rows(table, judged)
    assert columns[:4] == ("colour", "gpus", "model", "predicted_s")
    assert set(columns[4:]) == set(ADDED_COLUMNS) - {"predicted_s"}
    assert rows[0]["colour"] == "red"
    assert rows[0]["predicted_s"] == ""
    assert json_rows(table, judged)[0]["predicted_s"] is None
    write_csv(tmp_path / "out.csv", columns, rows)
    again = read_case_file(tmp_path / "out.csv")
    assert again.columns == columns
    assert again.rows[0]["reason"] == judged[0].reason


def test_what_is_written_means_nothing_else_when_it_is_read_again() -> None:
    assert [name for name in ADDED_COLUMNS if column_of(name) is not None] == ["profile"]


def test_cells_beyond_the_heads_are_told() -> None:
    (judged,) = judge_table(parse_cases("gpus,model\n8,Llama, 3\n", "a.csv"))
    assert judged.reason == "'3' has no column; quote a cell that holds a comma"


def test_summary_counts_rows_and_errors() -> None:
    said = summary([CaseEstimate(reason="x"), judged_one(), judged_one(step_time_s="20")])
    assert (said["rows"], said["judged"], said["measured"]) == (3, 2, 1)
    assert said["mape_pct"] == pytest.approx(100 * abs(predicted() / 20 - 1))


def test_errors_of_known_ratios() -> None:
    errors = errors_of([1.1, 0.8, 1.0, 1.0])
    assert errors is not None
    assert errors.mape_pct == pytest.approx(7.5)
    assert errors.median_pct == pytest.approx(5.0)
    assert errors.bias_pct == pytest.approx(-2.5)
    assert (errors.worst, errors.worst_pct) == (1, pytest.approx(20.0))
    assert errors_of([]) is None


@pytest.mark.parametrize(
    ("gpu", "profile"),
    [
        ("H100-80GB", "h100"), ("H100-SXM", "h100"), ("NVIDIA H100 80GB HBM3", "h100"), ("h100", "h100"),
        ("A100-80GB", "a100"), ("A100-SXM4-80GB", "a100"), ("A100", "a100"), ("A100-40GB", "a100-40"),
        ("GB200", "gb200"), ("GB200 NVL72", "gb200"), ("B200", "b200"), ("AMD Instinct MI300X OAM", "mi300x"),
    ],
)  # fmt: skip
def test_gpu_names_of_tables_and_drivers_find_their_profile(gpu: str, profile: str) -> None:
    assert profile_of_gpu(gpu).name == profile


def test_heads_are_known_however_they_are_written() -> None:
    for head in ("Global Batch", "global-batch", " GLOBAL_BATCH ", "gbs"):
        column = column_of(head)
        assert column is not None
        assert column.name == "global_batch"
    assert column_of("nic_gbps") is not column_of("nic_GBps")
    assert column_of("tokens per second") is None


EXPERTS = {"model": "qwen3-30b-a3b", "gpus": "8", "tp": "1", "pp": "1", "cp": "1", "vp": "1", "ep": "8",
           "microbatch": "1", "global_batch": "512"}  # fmt: skip


@pytest.mark.parametrize(
    ("gpu", "precision", "release", "expected"),
    [
        ("H100", "FP8", "26.08", (False, "fused", False)),
        ("H100", "FP8", "25.11", (False, "collective", False)),
        ("GB200", "MXFP8", "25.11", (False, "fused", False)),
        ("GB200", "MXFP8", "26.04.01", (False, "fused", False)),
        ("GB200", "MXFP8", "v26.06", (True, "fused", True)),
        ("B200", "BF16", "26.08", (False, "fused", False)),
    ],
)
def test_a_release_says_how_experts_run(
    gpu: str, precision: str, release: str, expected: tuple[bool, str, bool]
) -> None:
    case = judged_one(**EXPERTS, gpu=gpu, precision=precision, container=release).case
    assert case is not None
    assert (case.stack.graphs, case.stack.dispatcher, case.stack.ep_overlap) == expected
    assert case.stack.fused_experts is case.stack.graphs
    assert case.stack.balanced
    own = judged_one(**EXPERTS, gpu=gpu, precision=precision, container=release, dispatcher="deepep").case
    assert own is not None
    assert own.stack.dispatcher == "fused"


def test_shapes_of_windows_latent_attention_and_state_space_layers() -> None:
    shape = {
        **EXPERTS,
        "layers": "10",
        "hidden": "1024",
        "heads": "8",
        "seq": "4096",
        "ep": "1",
        "model": "mine",
    }
    case = judged_one(**shape, head_dim="256", sliding_window="128", full_every="5", mtp="1", ssm_layers="5",
                      ffn_layers="4", ssm_heads="32").case  # fmt: skip
    assert case is not None
    model = case.model
    assert (model.query_width, model.window, model.predicted) == (2048, AttentionWindow(128, 5), 1)
    assert model.state_space == StateSpace(5, 4, 32, 64, 128, 8)
    assert model.attention_share == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"full_every": "2"}, "needs the tokens of a window; fill column 'window'"),
        ({"kv_rank": "512"}, "latent attention also needs query_rank, head_plain, head_rotary, head_value"),
        ({"ssm_layers": "5"}, "5 state-space layers, but the row does not give ffn_layers, ssm_heads"),
        ({"ssm_layers": "40", "ffn_layers": "9", "ssm_heads": "8"}, "more than the 48 layers there are"),
        ({"release": "2026"}, "'2026' is no release; give year and month as in 26.02 or 26.02.01"),
        ({"graphs": "some"}, "'some' is neither yes nor no"),
        ({"dispatcher": "mpi"}, "known are collective (alltoall) and fused (DeepEP, HybridEP)"),
    ],
)
def test_what_is_wrong_with_a_shape_or_option(cells: dict[str, str], said: str) -> None:
    judged = judged_one(**{**EXPERTS, "gpu": "H100", **cells})
    assert judged.parts is None
    assert said in judged.reason
