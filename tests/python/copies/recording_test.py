# SPDX-License-Identifier: Apache-2.0
"""The files of recordings: their names, errors at once, a full disk, and how much memory a long one takes."""

import os
import re
import resource

import numpy as np
import pytest

import isopatch
from conftest import run_python


def names_in(folder):
    return sorted(os.listdir(folder))


BAD_PATHS = {
    "no folder": ("none/run.npz", FileNotFoundError, "run.npz: cannot be written: No such file or directory"),
    "a folder": ("folder.npz", IsADirectoryError, "folder.npz: cannot be written: Is a directory"),
    "empty": ("", ValueError, "record: path '': the name must end in .npz"),
    "another ending": ("run.txt", ValueError, "run.txt': the name must end in .npz"),
    "no ending": ("run", ValueError, "run': the name must end in .npz"),
    "a device": ("device.npz", OSError, "device.npz: cannot be written: it exists already and is not a regular file"),
    "a number": (17, TypeError, "record: path: expected a path, found int"),
    "bytes": (b"run.npz", TypeError, "record: path: expected a path, found bytes"),
}


@pytest.mark.parametrize("case", BAD_PATHS)
def test_a_path_that_cannot_be_written_is_an_error_before_a_step(rolling, tmp_path, case, monkeypatch):
    path, kind, message = BAD_PATHS[case]
    monkeypatch.chdir(tmp_path)
    os.mkdir("folder.npz")
    os.symlink("/dev/null", "device.npz")
    before = names_in(tmp_path)
    with pytest.raises(kind, match=re.escape(message)), rolling.record(path):
        pytest.fail("the recording had begun")
    assert names_in(tmp_path) == before
    rolling.step()  # is not being recorded


def test_names_are_as_they_are_given_and_links_are_followed(rolling, tmp_path):
    (tmp_path / "real.npz").write_bytes(b"old")
    (tmp_path / "real.npz").chmod(0o640)
    (tmp_path / "link.npz").symlink_to("real.npz")
    with rolling.record(tmp_path / "link.npz"):
        assert (tmp_path / "real.npz").read_bytes() == b"old"
        rolling.step()
    assert names_in(tmp_path) == ["link.npz", "real.npz"] and (tmp_path / "link.npz").is_symlink()
    assert np.load(tmp_path / "real.npz")["step_count"].shape == (2, 3)
    assert os.stat(tmp_path / "real.npz").st_mode & 0o777 == 0o640


def test_a_second_recording_of_the_same_file_is_refused(rolling, scene, tmp_path):
    other = isopatch.Simulator(scene)
    with rolling.record(tmp_path / "run.npz"):
        rolling.step()
        with pytest.raises(OSError, match=r"run\.npz: cannot be written: another run is writing it"):
            other.record(tmp_path / "run.npz").__enter__()
    other.step()
    assert np.load(tmp_path / "run.npz")["step_count"][:, 0].tolist() == [20, 21]


def test_many_rows_are_those_of_the_steps(rolling, tmp_path):
    states, count = [rolling.state()], 700  # some of which are written before the end
    with rolling.record(tmp_path / "run.npz", outputs=("pair_wrench",)) as recording:
        for _ in range(count):
            rolling.step()
            states.append(rolling.state())
        before = recording.render(environment=2, every=100).glb
    assert recording.render(environment=2, every=100).glb == before
    rows = np.load(tmp_path / "run.npz")
    assert rows["pair_wrench"].shape == (count + 1, 3, 1, 6)
    assert rows["time"].tobytes() == (rows["step_count"] * rolling.time_step).tobytes()
    for field in ("poses", "velocities", "joints", "step_count", "status"):
        wanted = np.stack([getattr(state, field) for state in states])
        assert rows[field].dtype == wanted.dtype and rows[field].tobytes() == wanted.tobytes(), field


@pytest.fixture
def full_disk():
    """A limit on the size of files stands for it; Python ignores the signal."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(size=None):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most if size is None else size, most))

    yield limit
    limit()


def test_an_earlier_recording_survives_a_full_disk(scene, tmp_path, full_disk):
    simulator = isopatch.Simulator(scene, 50)
    (tmp_path / "run.npz").write_bytes(b"an earlier one")
    message = r"run\.npz: cannot be written: File too large"
    with pytest.raises(OSError, match=message), simulator.record(tmp_path / "run.npz"):
        full_disk(100_000)
        simulator.step(1000)
    full_disk()
    assert 0 < simulator.step_count[0] < 1000  # the first rows that had no room ended it
    assert (tmp_path / "run.npz").read_bytes() == b"an earlier one"
    assert names_in(tmp_path) == ["run.npz"]


def test_a_disk_that_has_room_again_gets_all_rows(scene, tmp_path, full_disk):
    simulator = isopatch.Simulator(scene, 50)
    with simulator.record(tmp_path / "run.npz"):
        full_disk(100_000)
        with pytest.raises(OSError, match="File too large"):
            simulator.step(1000)
        full_disk()
        reached = int(simulator.step_count[0])
        simulator.step(10)
    assert np.load(tmp_path / "run.npz")["step_count"][:, 0].tolist() == list(range(reached + 11))


def test_the_memory_of_a_long_recording_is_that_of_a_short_one(tmp_path):
    """300 MB of rows, of which a few are in memory at a time."""
    found = run_python(f"""
import resource
import isopatch
from conftest import ball_on_table

document = ball_on_table()
document["bodies"][0]["position"] = [0, 0, 100]  # in the air, where steps are fast
simulator = isopatch.Simulator(isopatch.Scene(document), 2000, threads=1)

def peak_after(steps):
    with simulator.record({str(tmp_path / "run.npz")!r}):
        simulator.step(steps)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

print(peak_after(50), peak_after(600))
""")
    assert found.returncode == 0, found.stderr
    short, long = map(int, found.stdout.split())
    assert (tmp_path / "run.npz").stat().st_size > 250e6
    assert long - short < 20_000, (short, long)  # kB; less than a tenth of the rows
