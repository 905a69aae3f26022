"""Stands for meson-python, and for setuptools, while pip downloads sources: it asks for their name, and need not
configure them for that.
"""

import os
import re


def prepare_metadata_for_build_wheel(folder, settings=None):
    with open("PKG-INFO") as file:
        text = file.read()
    name, version = (re.search(rf"^{key}: (.*)$", text, re.M)[1] for key in ("Name", "Version"))
    info = f"{name}-{version}.dist-info"
    os.mkdir(os.path.join(folder, info))
    with open(os.path.join(folder, info, "METADATA"), "w") as out:
        out.write(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return info


def build_wheel(folder, settings=None, metadata=None):
    raise NotImplementedError
