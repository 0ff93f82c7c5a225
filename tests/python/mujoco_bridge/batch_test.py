# SPDX-License-Identifier: Apache-2.0
"""Steps of many states at once are those of one after another."""

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

from models import free, model_of  # noqa: E402

from isopatch._src.mujoco import batch, versions  # noqa: E402
from isopatch.mujoco import Bridge  # noqa: E402

POST = '<geom name="post" type="ellipsoid" size=".04 .02 .03" pos="0 0 .03" euler="20 10 50"/>'
UPPER = free("upper", 0.008, 0.08, 'type="ellipsoid" size=".03 .02 .025" euler="30 50 10"')
N = 8


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    """MuJoCo writes its warnings to a file in the current folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def model():
    """A cube on the floor, and an ellipsoid on another, whose patch is curved."""
    sensor = '<sensor><framelinacc objtype="geom" objname="cube"/></sensor>'
    return model_of(free("cube", x=0.3) + POST + UPPER, 'tolerance="1e-14"', rest=sensor)  # with which both solve


def bridge_of(model, **options):
    return Bridge(model, pairs=[("cube", "floor"), ("upper", "post")], modulus=1e5, **options)


def states(model):
    random, found = np.random.default_rng(4), []
    for _ in range(N):
        data = mujoco.MjData(model)
        data.qvel[:] = random.uniform(-0.3, 0.3, model.nv)
        data.xfrc_applied[1] = random.uniform(-0.1, 0.1, 6)
        found.append(data)
    return found


def check_same(model, threaded):
    """Within rounding: sums of a few numbers may be formed in another order."""
    many, one = bridge_of(model), bridge_of(model)
    assert (many.batch_fallback is None) == threaded, many.batch_fallback
    together, alone = states(model), states(model)
    pushed = 0
    for _ in range(40):
        many.step_batch(together)
        for a, b in zip(together, alone):
            one.step(model, b)
            np.testing.assert_allclose(a.qpos, b.qpos, rtol=0, atol=1e-12)
            np.testing.assert_allclose(a.qvel, b.qvel, rtol=0, atol=1e-9)
            np.testing.assert_allclose(a.sensordata, b.sensordata, rtol=1e-6, atol=1e-6)
            assert (a.xfrc_applied == b.xfrc_applied).all() and a.time == b.time
            for found, expected in zip(many.forces(model, a), one.forces(model, b)):
                np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
            pushed += np.abs(one._residual(b)).max() > 1e-6 if one._residual(b) is not None else 0
    assert pushed > 20  # residuals were applied


def threaded_or_skip():
    reason = batch.why_not()
    if reason and "no C compiler" not in reason and versions.has_batches():
        raise AssertionError(reason)  # it does not compile
    if reason:
        pytest.skip(reason)


def test_on_mujocos_threads_a_batch_steps_as_its_states_alone(model):
    threaded_or_skip()
    check_same(model, True)


def test_in_turn_a_batch_steps_as_its_states_alone(model, monkeypatch):
    monkeypatch.setattr("isopatch._src.mujoco.bridge.why_not", lambda: "a reason")
    check_same(model, False)


def test_callbacks_of_python_make_a_batch_go_in_turn(model):
    calls = []
    mujoco.set_mjcb_control(lambda m, d: calls.append(d))
    try:
        bridge = bridge_of(model)
        assert "mujoco" in bridge.batch_fallback.lower() or "mjcb_control is a callback" in bridge.batch_fallback
        bridge.step_batch(states(model))
    finally:
        mujoco.set_mjcb_control(None)
    assert len(calls) == N


def test_results_are_those_of_one_thread(model):
    ends = []
    for threads in (1, 3):
        bridge, data = bridge_of(model, threads=threads), states(model)
        for _ in range(20):
            bridge.step_batch(data)
        ends.append([state.qpos.tobytes() for state in data])
    assert ends[0] == ends[1]


BAD = {
    "qpos": lambda data: data.qpos.__setitem__(0, np.nan),
    "qvel": lambda data: data.qvel.__setitem__(7, np.inf),
    "huge": lambda data: data.qpos.__setitem__(1, 1e11),
    "ctrl": lambda data: data.ctrl.__setitem__(0, np.nan),
    "applied": lambda data: data.qfrc_applied.__setitem__(2, np.nan),
    "mocap": lambda data: data.mocap_pos.__setitem__((0, 0), np.nan),
}


@pytest.mark.parametrize("in_turn", [False, True])
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_state_is_ones_own_as_in_mujoco(kind, in_turn, monkeypatch):
    """MuJoCo resets it, or goes on with what it has; all others keep their bits."""
    if in_turn:
        monkeypatch.setattr("isopatch._src.mujoco.bridge.why_not", lambda: "a reason")
    table = '<body name="table" mocap="true" pos="0 0 -1"><geom name="table" type="box" size=".1 .1 .1"/></body>'
    motor = '<actuator><motor name="push" joint="push" gear="1"/></actuator>'
    slide = '<body pos="1 1 1"><joint name="push" type="slide"/><geom size=".01" mass=".1"/></body>'
    model = model_of(free("cube", x=0.3) + POST + UPPER + table + slide, rest=motor)
    pairs = [("cube", "floor"), ("upper", "post"), ("cube", "table")]
    both, apart = (Bridge(model, pairs=pairs, modulus=1e5) for _ in range(2))
    with_it, without = states(model), states(model)
    alone = states(model)[5]
    for data in (with_it[5], alone):
        BAD[kind](data)
    for _ in range(5):
        both.step_batch(with_it)
        apart.step_batch(without[:5] + without[6:])
        mujoco.mj_step(model, alone)
        for i in (0, 1, 4, 6, 7):
            for name in ("qpos", "qvel", "qacc", "xpos", "sensordata"):
                assert getattr(with_it[i], name).tobytes() == getattr(without[i], name).tobytes()
        counts = ([w.number for w in data.warning] for data in (with_it[5], alone))
        assert next(counts) == next(counts)
        if kind != "mocap":
            assert np.isfinite(with_it[5].qpos).all() and with_it[5].time == alone.time


def test_one_state_cannot_be_there_twice(model):
    bridge, data = bridge_of(model), states(model)
    with pytest.raises(ValueError, match="expected different states, found one twice"):
        bridge.step_batch([data[0], data[0]])
    bridge.step_batch([])


def test_arena_without_room_is_named_with_the_state():
    threaded_or_skip()
    for size in (*range(24, 90, 3), None):
        assert size is not None, "no size of the arena is too small for patches alone"
        try:
            model = model_of("".join(free(f"g{i}", x=0.1 * i) for i in range(8)), rest=f'<size memory="{size}K"/>')
            Bridge(model, geoms=range(9), modulus=1e6).step_batch([mujoco.MjData(model) for _ in range(2)])
        except (ValueError, mujoco.FatalError):
            continue
        except RuntimeError as error:
            if "has no room for 32 contacts of patches of state 0" in str(error):
                break
            assert "state 0" in str(error) and "memory" in str(error)  # MuJoCo's own
