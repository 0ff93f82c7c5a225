"""Rows of arrays that are kept in files, so that many of them take no memory."""

import io
import os
import shutil
import tempfile
import zipfile
from typing import Any

import numpy as np

from isopatch import _core

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

    def read(self, name: str, row: int, environment: int) -> np.ndarray:
        """A copy of an environment's part of a row."""
        if row >= self._written:
            return self._waiting[row - self._written][name][environment]
        return self._columns[name].read(row, environment)

    def write_npz(self, output: _core._OutputFile) -> None:
        """Writes all rows as arrays [T, N, ...]. They are then read from there, and their files are gone."""
        self._flush()
        # opened a second time, so that it can be read after `output` is closed
        written = io.FileIO(os.dup(output.fileno()), "r")
        with (
            open(output.fileno(), "r+b", closefd=False) as stream,
            zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive,
        ):
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
