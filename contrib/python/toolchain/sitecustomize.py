"""Makes the Python that builds look like the one that is built: Meson asks it for headers and names of modules."""

import os
import sys
import sysconfig
import types

include = os.environ.get("TARGET_INCLUDE")
if include:
    variables = {"EXT_SUFFIX": ".so", "SOABI": "wasi", "INCLUDEPY": include, "CONFINCLUDEPY": include,
                 "VERSION": "3.11",
                 "prefix": "/usr/local", "exec_prefix": "/usr/local", "LDVERSION": "3.11", "LIBDIR": "/nonexistent",
                 "LIBPYTHON": "", "Py_ENABLE_SHARED": 0, "SIZEOF_VOID_P": 4, "MULTIARCH": ""}
    sys.modules["_target"] = types.SimpleNamespace(build_time_vars=variables)
    os.environ["_PYTHON_SYSCONFIGDATA_NAME"] = "_target"
    for scheme in sysconfig._INSTALL_SCHEMES.values():
        scheme["include"] = scheme["platinclude"] = include
