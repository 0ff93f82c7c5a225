"""The code of the package. Its public modules list the names that users import."""

from isopatch._src import cpu, interpreters

# before the extension module: it would end the process with an illegal instruction, and break the main interpreter
cpu.require_features()
interpreters.require_main()
