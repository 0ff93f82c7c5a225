"""The recording of a rollout."""

import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from isopatch import _core
from isopatch._src.arguments import integer, path_text
from isopatch._src.arrays import TABLE, present_names
from isopatch._src.inputs import StepInputs
from isopatch._src.messages import shortened, shown
from isopatch._src.picture.picture import Picture, rollout_picture
from isopatch._src.records import on_host
from isopatch._src.results import SimulatorState, StepResults
from isopatch._src.state_library import StateLibrary

# materials and shapes, which a row has as its step did; and what a row has whose step was given none
_OF_STEPS = {row.name for row in TABLE["step_inputs"]}
_PARAMETERS = {
    row.name: np.dtype(row.type.replace("real", "float64")) for row in TABLE["inputs"] if row.name in _OF_STEPS
}
_UNSET = {np.dtype("float64"): np.nan, np.dtype("int32"): -1, np.dtype("uint8"): 1}

_AT_ONCE = 4 << 20  # bytes of rows that wait to be written
_ROWS_AT_ONCE = 256  # as each row has a few objects


class _Column:
    """The rows of one array in a file of its own, or in a part of another one."""

    def __init__(self, folder: str | None, row: np.ndarray) -> None:
        self.dtype, self.shape, self.size = row.dtype, row.shape, row.nbytes
        self.begin = 0
        self.file: Any = tempfile.TemporaryFile(buffering=0, dir=folder)  # noqa: SIM115  # has no name

    def write(self, first: int, rows: list[np.ndarray]) -> None:
        self.file.seek(first * self.size)
        left = memoryview(b"".join(rows))
        while left:
            left = left[self.file.write(left) :]

    def read(self, row: int, environment: int) -> np.ndarray:
        count = int(np.prod(self.shape[1:]))
        size = count * self.dtype.itemsize
        found = os.pread(self.file.fileno(), size, self.begin + row * self.size + environment * size)
        return np.frombuffer(found, self.dtype).reshape(self.shape[1:])


class RowFiles:
    """Rows, each with the same arrays [N, ...] by name; all but the last few are in files without a name.

    Args:
        folder: For the files. None: that of temporary files.
    """

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._columns: dict[str, _Column] = {}
        self._written = 0
        self._waiting: list[dict[str, np.ndarray]] = []

    def __len__(self) -> int:
        return self._written + len(self._waiting)

    def add(self, row: dict[str, np.ndarray]) -> None:
        """Keeps a row, whose arrays nobody else writes. Raises OSError if the files cannot take it, as those after it
        do until they can."""
        self._waiting.append(row)
        bytes_waiting = len(self._waiting) * sum(array.nbytes for array in row.values())
        if bytes_waiting >= _AT_ONCE or len(self._waiting) >= _ROWS_AT_ONCE:
            self._flush()

    def begin(self, name: str, rows: np.ndarray) -> None:
        """Gives an array that later rows have to all rows before them."""
        if self._written:
            column = self._columns[name] = _Column(self._folder, rows)
            for row in range(self._written):
                column.write(row, [rows])
        for row_waiting in self._waiting:
            row_waiting[name] = rows

    def read(self, name: str, row: int, environment: int) -> np.ndarray:
        """A copy of an environment's part of a row."""
        if row >= self._written:
            return self._waiting[row - self._written][name][environment]
        return self._columns[name].read(row, environment)

    def write_npz(self, output: _core._OutputFile, others: dict[str, np.ndarray]) -> None:
        """Writes all rows as arrays [T, N, ...], and `others` as they are. Rows are then read from there, and their
        files are gone."""
        self._flush()
        # opened a second time, so that it can be read after `output` is closed
        written = io.FileIO(os.dup(output.fileno()), "r")
        with (
            open(output.fileno(), "r+b", closefd=False) as stream,
            zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive,
        ):
            for name, array in others.items():
                with archive.open(f"{name}.npy", "w") as member:
                    np.lib.format.write_array(member, array)
            for name, column in self._columns.items():
                header = {"descr": np.lib.format.dtype_to_descr(column.dtype), "fortran_order": False}
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array_header_1_0(member, header | {"shape": (len(self), *column.shape)})
                    begin = stream.tell()
                    column.file.seek(0)
                    shutil.copyfileobj(column.file, member, _AT_ONCE)
                stream.flush()  # before its own file is gone
                column.file, column.begin = written, begin

    def _flush(self) -> None:
        if not self._waiting:
            return
        for name, array in self._waiting[0].items():
            if name not in self._columns:
                self._columns[name] = _Column(self._folder, array)
        for name, column in self._columns.items():
            column.write(self._written, [row[name] for row in self._waiting])
        self._written += len(self._waiting)  # only now: after an error, they are written again
        self._waiting = []


class Recorder:
    """The rows of a recording of `state`, which `simulator` steps. It begins with the state that the first step begins
    with, and its materials and shapes.

    `take` takes steps as the simulator does, `path` is of the file that the rows become, if any.
    """

    def __init__(
        self,
        simulator: _core.Simulator,
        take: Callable[..., StepResults],
        state: SimulatorState,
        library: StateLibrary,
        path: Any,
        every: int,
        outputs: Sequence[str],
    ) -> None:
        self._simulator = simulator
        self._take = take
        self._state = state
        self._library = library
        self._names = [n for n in SimulatorState._fields if n != "contact_state" or simulator.scene.contact_state_size]
        self._time_step = simulator.options["time_step"]
        self._every = integer("record", "every", every)
        if self._every < 1:
            raise ValueError(f"record: every: expected 1 or more, found {shown(every)}")
        simulator.wanted("record", outputs)  # raises for a name that is none
        self._outputs = tuple(dict.fromkeys((*present_names(outputs), "pair_wrench")))
        self._parameters: dict[str, np.ndarray] = {}  # those that a row has, as they are where a step is given none
        self._begun = False
        self._until_row = self._every
        self._path = None if path is None else path_text("record", "path", path)
        self._output, folder = None, None
        if self._path is not None:
            self._output = _core._OutputFile("record: path", self._path, ".npz")
            folder = os.path.dirname(os.path.realpath(self._path))
        self._rows = RowFiles(folder)

    def take_steps(
        self, state: SimulatorState, n: Any, stream: Any, outputs: Any, out: Any, inputs: StepInputs
    ) -> StepResults:
        """Takes the steps of a call of Simulator.step(), and adds the rows that are due."""
        if stream is not None:
            raise ValueError("step: stream: recorded steps are on the current stream; leave it out")
        n, warnings = integer("step", "n", n), None
        with self._library.current_device():
            self._begin(inputs)
            while n > self._until_row:
                results = self._take(state, self._until_row, None, self._outputs, None, inputs)
                _core.mark_written(state)
                n -= self._until_row
                warnings = self._count(self._until_row, warnings, results, inputs)
        added = self._added(n, outputs, out)
        results = self._take(state, n, None, (*(outputs or ()), *added) if added else outputs, out, inputs)
        with self._library.current_device():
            self._count(n, warnings, results, inputs)
        return results._replace(**dict.fromkeys(added)) if added else results

    def _begin(self, inputs: StepInputs) -> None:
        """Adds the first row, if there is none."""
        if not self._begun:
            self._add_row(self._take(self._state, 0, None, self._outputs, None, inputs), inputs)
            self._begun = True

    def _added(self, n: int, outputs: Any, out: Any) -> tuple[str, ...]:
        """The outputs that a row needs after `n` steps and a call does not name."""
        if n != self._until_row or not (outputs is None or isinstance(outputs, (tuple, list))):
            return ()
        of_out = out._asdict() if isinstance(out, StepResults) else out if isinstance(out, Mapping) else {}
        named = present_names((*(outputs or ()), *(name for name, array in of_out.items() if array is not None)))
        return tuple(name for name in self._outputs if name not in named)

    def _count(self, n: int, warnings: Any, results: StepResults, inputs: StepInputs) -> Any:
        """After `n` steps: adds a row if one is due. Returns the status with `warnings`, which it has then too."""
        bits = self._state.status.view(self._library.module.int32)  # torch has no | of uint32
        if warnings is not None:
            bits |= warnings
        kept = bits.clone() if hasattr(bits, "clone") else bits.copy()
        self._until_row -= n
        if self._until_row == 0:
            self._until_row = self._every
            self._add_row(results, inputs)
        return kept

    def _add_row(self, results: StepResults, inputs: StepInputs) -> None:
        row = {name: on_host(getattr(self._state, name)).copy() for name in self._names}
        row |= {name: on_host(getattr(results, name)).copy() for name in self._outputs}
        row |= self._parameters
        for name, dtype in _PARAMETERS.items():
            given = inputs.get(name)
            if given is None:
                continue
            row[name] = np.array(on_host(given.detach() if hasattr(given, "detach") else given), dtype)
            if name not in self._parameters:
                self._parameters[name] = np.full(row[name].shape, _UNSET[dtype], dtype)
                with self._naming_errors():
                    self._rows.begin(name, self._parameters[name])
        with self._naming_errors():
            self._rows.add({"time": row["step_count"] * self._time_step, **row})

    def finish(self) -> None:
        """Writes the file, if there is to be one."""
        self._begin({})
        output, self._output = self._output, None
        if output is None:
            return
        with self._naming_errors():
            self._rows.write_npz(output, {"slip_tolerance": np.array([self._simulator.slip_tolerance])})
        output.finish()

    @contextmanager
    def _naming_errors(self) -> Iterator[None]:
        """Errors of files without a name have that of the recording."""
        try:
            yield
        except OSError as error:
            name = "record: a temporary file" if self._path is None else self._path
            text = shortened(f"{name}: cannot be written: {error.strerror}")
            raise OSError(error.errno, text, self._path) from error

    def render(self, path: Any, environment: Any, every: Any, title: str | None) -> Picture:
        """See Recording.render()."""
        environments = self._environments(environment)
        step = integer("render", "every", every)
        if step < 1:
            raise ValueError(f"render: every: expected 1 or more, found {step}")
        self._begin({})
        rows = _core._chosen_frames(len(self._rows), step)
        names = ["time", "poses", "velocities", "pair_wrench", *self._parameters]
        if "contact_state" in self._names:
            names.append("contact_state")
        frames = [
            {name: np.stack([self._rows.read(name, k, index) for k in rows]) for name in names}
            for index in environments
        ]
        text = self._title() if title is None else str(title)
        return rollout_picture(self._simulator, path, frames, text, environments)

    def _environments(self, given: Any) -> list[int]:
        """The numbers of those that are drawn."""
        given = given.tolist() if isinstance(given, np.ndarray) else given
        several = list(given) if isinstance(given, Iterable) and not isinstance(given, (str, bytes)) else [given]
        indices, count = [integer("render", "environment", index) for index in several], len(self._state.poses)
        if not indices:
            raise ValueError("render: environment: expected one or several, found none")
        for index in indices:
            if not 0 <= index < count:
                raise ValueError(f"render: environment {index}: the recording has {count}, numbered from 0")
            if indices.count(index) > 1:
                raise ValueError(f"render: environment {index} is there {indices.count(index)} times")
        return indices

    def _title(self) -> str:
        """The names of the scene's file and of the recording's, as far as there are such."""
        names = [getattr(self._simulator.scene, "_title", "scene")]
        if self._path is not None:
            names.append(os.path.basename(self._path))
        return ", ".join(name for name in names if name != "scene") or "recording"


class Recording:
    """The rows of a recording by Simulator.record(), of which `recorder` takes care."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def render(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        environment: int | Sequence[int] = 0,
        every: int = 1,
        title: str | None = None,
    ) -> Picture:
        """A picture of the rows so far, which plays; in a notebook it shows itself.

        Forces are those of the steps, and patches have their materials and shapes.

        Args:
            path: A file to write it to, as Picture.save().
            environment: Which of the N, or several, as range(8), between which one chooses in the page.
            every: Rows from one frame to the next.
            title: For the page. None: the names of the files of the scene and of the recording, if there are such.

        Raises:
            ValueError: for an environment that there is not or that is named twice, more than 10 000 frames, and
                several environments for a file that is no page.
        """
        return self._recorder.render(path, environment, every, title)
