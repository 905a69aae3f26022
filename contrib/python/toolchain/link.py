"""Links as a C compiler would: link.py DRIVER ARGUMENTS. A shared library becomes one relocatable object."""

import os
import subprocess
import sys

# What build systems pass that wasm-ld does not know, or need not be told.
LEFT_OUT = ("-Wl,--as-needed", "-Wl,--no-undefined", "-Wl,--allow-shlib-undefined", "-Wl,-O1", "-Wl,--start-group",
            "-Wl,--end-group", "-Wl,-soname", "-Wl,--version-script", "-Wl,-rpath", "-lm", "-ldl", "-lpthread")


def main(driver, *args):
    args = [arg for arg in args if not arg.startswith(LEFT_OUT)]
    if "-shared" not in args:
        return subprocess.call([driver, *args])
    out = args[args.index("-o") + 1]
    kept = [arg.removeprefix("-Wl,") for arg in args
            if arg.endswith((".o", ".a")) or arg in ("-Wl,--whole-archive", "-Wl,--no-whole-archive")]
    return subprocess.call([os.path.join(os.path.dirname(driver), "wasm-ld"), "-r", "-o", out, *kept])


sys.exit(main(*sys.argv[1:]))
