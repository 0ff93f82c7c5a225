# SPDX-License-Identifier: Apache-2.0
"""An unknown keyword is answered in one sentence by all that is public, whatever is added."""

import enum
import importlib
import inspect
import pickle
import re

import numpy as np
import pytest

import isopatch
from conftest import ball_on_table

MODULES = {  # and what each needs
    "isopatch": "numpy",
    "isopatch.gym": "gymnasium",
    "isopatch.jax": "jax",
    "isopatch.mjlab": "mjlab",
    "isopatch.mujoco": "mujoco",
    "isopatch.mujoco_warp": "mujoco_warp",
    "isopatch.newton": "newton",
    "isopatch.plot": "numpy",
    "isopatch.quaternion": "numpy",
    "isopatch.ray": "ray",
    "isopatch.torch": "torch",
    "isopatch.view": "numpy",
}
SENTENCE = r'\S+: no_such_argument: unknown argument; (did you mean "\w+"|known: "\w+"|expected none)'
NOT_MADE_BY_HAND = {"Call", "CandidateCache"}
ANY_KEYWORD = {"VectorEnv.close_extras"}  # which Gymnasium calls with the arguments of close()


@pytest.fixture(scope="module")
def first():
    """Arguments of those that look at them, or at their object, before keywords."""
    scene = isopatch.Scene(ball_on_table())
    evaluator, simulator = isopatch.Evaluator(scene), isopatch.Simulator(scene)
    poses = np.zeros((1, 2, 7))
    poses[..., 3] = 1
    return {
        "Call": (evaluator.bind(poses),),
        "CandidateCache": (evaluator.make_candidate_cache(1),),
        "Evaluator": (evaluator,),
        "Scene": (scene,),
        "Simulator.advance": (simulator, simulator.state()),
        "Simulator.reset": (simulator,),
        "Simulator.step": (simulator,),
        "Pool": (scene,),
        "Pool.evaluate": (None, poses),
        "isopatch.jax.evaluate": (evaluator, poses),
        "isopatch.jax.step": (simulator, simulator.state()),
        "isopatch.torch.evaluate": (evaluator, poses),
    }


def of_isopatch(member):
    owner = getattr(member, "__objclass__", None) or inspect.getmodule(inspect.unwrap(member))
    return type(member).__name__ == "nb_method" or getattr(owner, "__name__", "").startswith("isopatch")


def public_callables(module):
    for name in module.__all__:
        public = getattr(module, name)
        if not isinstance(public, type):
            if callable(public):
                yield f"{module.__name__}.{name}", public
        elif not issubclass(public, (enum.Enum, BaseException)):
            if name not in NOT_MADE_BY_HAND:
                yield name, public
            for method, member in inspect.getmembers(public, callable):
                if not method.startswith("_") and of_isopatch(member):
                    yield member.__qualname__, member


@pytest.mark.parametrize("module", MODULES)
def test_every_public_call_says_what_was_meant(module, first):
    pytest.importorskip(MODULES[module])
    tried = {}
    for name, call in public_callables(importlib.import_module(module)):
        compiled = type(call).__name__ == "nb_method"
        arguments = first.get(name, first[name.partition(".")[0]] if compiled else ())
        if name in tried or any(name.endswith(any_keyword) for any_keyword in ANY_KEYWORD):
            continue
        with pytest.raises(TypeError) as error:
            call(*arguments, no_such_argument=1)
        assert re.match(SENTENCE, str(error.value)), f"{name}: {error.value}"
        tried[name] = call
    assert len(tried) >= len(importlib.import_module(module).__all__) / 3


@pytest.mark.parametrize(
    "call, meant",
    [
        (lambda s: isopatch.Simulator(s, dt=1e-3), 'Simulator: dt: unknown argument; did you mean "time_step" (s)?'),
        (lambda s: isopatch.Simulator(s, n_envs=2), 'did you mean "num_envs"?'),
        (lambda s: isopatch.Simulator(s, num_environments=2), 'did you mean "num_envs"?'),
        (
            lambda s: isopatch.Simulator(s).reset(indices=[0]),
            'reset: indices: unknown argument; did you mean "mask" (of',
        ),
        (lambda s: isopatch.Simulator(s).record(evry=2), 'record: evry: unknown argument; did you mean "every"?'),
        (lambda s: isopatch.Simulator(s).step(ouputs=()), 'step: ouputs: unknown argument; did you mean "outputs"?'),
        (lambda s: isopatch.Simulator(s).step(steps=3), 'step: steps: unknown argument; did you mean "n"?'),
        (lambda s: s.render(pose=None), 'render: pose: unknown argument; did you mean "poses"?'),
        (lambda s: s.render(foo=1), 'render: foo: unknown argument; known: "path", "poses", "velocities"'),
        (lambda s: isopatch.build_info(foo=1), "build_info: foo: unknown argument; expected none"),
        (lambda s: s.render(**{"\ud800": 1}), "render: \\ud800: unknown argument; known"),
    ],
)
def test_the_name_that_was_meant(scene, call, meant):
    with pytest.raises(TypeError) as error:
        call(scene)
    assert meant in str(error.value)


def test_what_is_wrapped_is_still_itself():
    assert pickle.loads(pickle.dumps(isopatch.single_contact)) is isopatch.single_contact
    assert list(inspect.signature(isopatch.Depth).parameters) == ["depth", "point", "normal"]
    assert "time_step" in inspect.signature(isopatch.Simulator).parameters
    assert isopatch.Simulator.reserve.__name__ == "reserve" and "Allocates" in isopatch.Simulator.reserve.__doc__


def test_steps_and_evaluations_cost_no_call_more():
    for method in (isopatch.Simulator.step, isopatch.Simulator.advance, isopatch.Evaluator.evaluate):
        assert not hasattr(method, "__wrapped__")
