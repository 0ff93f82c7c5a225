"""The code of the package. Its public modules list the names that users import."""

from isopatch._src import cpu

cpu.require_features()  # before the extension module, which would end the process with an illegal instruction
