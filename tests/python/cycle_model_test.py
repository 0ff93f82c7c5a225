# SPDX-License-Identifier: Apache-2.0
"""When bench/cycle_model/predict.py fails: values that differ, and kernels that were not launched or did nothing."""

import sys

import pytest

KERNELS = {"_Z4callv": "call", "_Z4rarev": "rare", "_Z11EmptyKernelv": "EmptyKernel"}


@pytest.fixture(scope="module")
def predict(root):
    before = sys.path.copy()
    sys.path.append(str(root / "bench/cycle_model"))
    import predict  # which appends another folder

    yield predict
    sys.path[:] = before


@pytest.fixture
def texts(tmp_path):
    """Listings of three kernels without instructions."""
    text = tmp_path / "kernels.sass"
    text.write_text("".join(f"kernel {name} 32 1024 0 -\n" for name in KERNELS))
    return [text]


def call_that_executed(**letters):
    executed = {f"_Z{len(name)}{name}v": "".join(letters[name]) for name in letters}
    return {"executed": executed, "compared_values": 3, "different_values": 0, "first_different": ""}


def test_calls_together_execute_all_kernels(predict, texts, capsys):
    found = {
        ("a", ""): call_that_executed(call="x-" * 10, rare="-" * 20),
        ("b", ""): call_that_executed(call="-x" * 10, rare="-" * 19 + "x"),
    }
    assert not predict.report_kernels(texts, found)
    out = capsys.readouterr().out
    assert "100%  call" in out
    assert "5%  rare" in out
    assert "never launched: EmptyKernel" in out and "attributes" in out


@pytest.mark.parametrize(
    "letters, words", [({"call": "x"}, "never launched: rare"), ({"call": "x", "rare": "x" + "-" * 20}, "hardly")]
)
def test_a_kernel_that_is_not_executed_fails(predict, texts, capsys, letters, words):
    assert predict.report_kernels(texts, {("a", ""): call_that_executed(**letters)})
    assert words in capsys.readouterr().out


def test_a_value_that_differs_fails(predict, capsys):
    found = {("same", ""): call_that_executed()}
    assert not predict.report_differences(found)
    other = {"different_values": 2, "first_different": "area[3]: 1 and 2"}
    assert predict.report_differences(found | {("other", ""): call_that_executed() | other})
    assert "other: 2 of 3, the first is area[3]: 1 and 2" in capsys.readouterr().out


def test_names_lose_namespaces_and_arguments(predict):
    name = "_ZN8isopatch6detail19search_pairs_kernelILNS0_5PartsE1EEEvNS0_17PressureFieldCallEi"
    assert predict.kernel_name(name) == "search_pairs"
    assert predict.demangled([name])[name] in ("search_pairs_kernel<(Parts)1>", name)
    assert predict.demangled(["plain"])["plain"] == "plain"


def test_no_two_calls_have_the_same_name(predict):
    class Everything:
        def __contains__(self, scene):
            return True

    calls = predict.all_calls(Everything())
    assert len({call.key for call in calls}) == len(calls) > 50
