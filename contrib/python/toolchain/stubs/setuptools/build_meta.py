"""Does what mesonpy.py does, for packages that are built with setuptools."""

import mesonpy


class Backend:
    def prepare_metadata_for_build_wheel(self, folder, settings=None):
        return mesonpy.prepare_metadata_for_build_wheel(folder, settings)

    def build_wheel(self, folder, settings=None, metadata=None):
        raise NotImplementedError


backend = Backend()
prepare_metadata_for_build_wheel = backend.prepare_metadata_for_build_wheel
build_wheel = backend.build_wheel
