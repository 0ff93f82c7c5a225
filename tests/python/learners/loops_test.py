# SPDX-License-Identifier: Apache-2.0
"""The examples that learn with torch: they start, step and save; on the page's own task they learn."""

import re

import numpy as np
import pytest

from conftest import requires

pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

from gym_test import EXAMPLES, run_example  # noqa: E402


@pytest.fixture
def own_task(root):
    """The class Press of the page: a finger that shall press a table with a force."""
    page = (root / "host/python/TRAIN.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"^```python[^\n]*\n([^`]*^class Press.*?)^```$", page, re.M | re.S)
    names = {"np": np, "__name__": "page"}
    exec(source, names)
    return names["Press"]


@pytest.fixture
def loop(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import learn_with_torch
    import torch

    torch.set_num_threads(1)
    return learn_with_torch


@requires("torch")
@pytest.mark.parametrize("task", ["Pivot", "PushT"])
def test_the_loop_in_torch_starts_steps_and_saves(tmp_path, task):
    options = ("--task", f"isopatch/{task}-v0", "--steps", 512, "--envs", 4, "--unseen", 4, "--output", "agent.pt")
    printed = run_example("learn_with_torch.py", *options, folder=tmp_path)
    assert "step 512: reward" in printed and re.search(r"policy: .*, earned -?[\d.]+", printed), printed
    assert (tmp_path / "agent.pt").stat().st_size > 10_000


@pytest.mark.parametrize("task", ["Pivot", "PushT"])
@pytest.mark.parametrize(
    "learner, module", [("sb3", "stable_baselines3"), ("rsl_rl", "rsl_rl"), ("skrl", "skrl")], ids=lambda name: name
)
def test_the_learners_of_libraries_start_step_and_save(tmp_path, learner, module, task):
    if requires(module).mark.args[0]:
        pytest.skip(f"{module} is not installed")
    options = ("--task", f"isopatch/{task}-v0", "--steps", 512, "--envs", 4, "--unseen", 4, "--output", "policy")
    printed = run_example("learn_with_libraries.py", learner, *options, folder=tmp_path)
    assert re.search(rf"^{learner}, seed 0: .*, earned -?[\d.]+", printed, re.M), printed
    assert sum(path.stat().st_size for path in tmp_path.glob("policy*")) > 10_000


@requires("torch")
@pytest.mark.parametrize("learner", ["own loop", "sb3"])
def test_a_task_of_one_s_own_is_learnt(loop, own_task, learner, tmp_path):
    """A finger that shall press with 1 to 5 N: in 60 000 steps, errors summed over 50 actions go from 162 to 25 N."""
    if learner == "sb3" and requires("stable_baselines3").mark.args[0]:
        pytest.skip("stable_baselines3 is not installed")
    envs = own_task(32, autoreset_mode="SameStep")
    if learner == "sb3":
        from learn_with_libraries import sb3

        policy = sb3(envs, 60_000, 0, str(tmp_path / "press"))
    else:
        policy = loop.learn(envs, 60_000, quiet=True).policy
    unseen = own_task(64, autoreset_mode="SameStep")
    still = loop.evaluate("still", unseen, lambda observations: np.zeros((64, 1), np.float32))["earned"]
    earned = loop.evaluate("policy", unseen, policy)["earned"]
    print(f"{learner} on the page's task: {np.median(still):.0f} before, {np.median(earned):.0f} after 60 000 steps")
    assert np.median(earned) > 0.4 * np.median(still)  # both are negative: the sum of errors in N over 50 actions
