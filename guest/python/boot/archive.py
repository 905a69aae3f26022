# A build can have the standard library as an archive in its memory, as contrib/python does. Each import would copy all
# of it.

PACKAGES = {}  # those that the archive has beside the standard library, with their versions

if hasattr(library := sys.modules.get('_stdlib'), 'Memory'):
    zipimport = sys.modules['zipimport']

    class Archive:
        """The archive as a file, as far as zipimport reads it: what is read is copied, and nothing else."""

        def __init__(self, data):
            self.data = data
            self.at = 0

        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

        def seek(self, offset, whence=0):
            self.at = offset + (0, self.at, len(self.data))[whence]

        def tell(self):
            return self.at

        def read(self, size=-1):
            found = bytes(self.data[self.at:] if size < 0 else self.data[self.at:self.at + size])
            self.at += len(found)
            return found

    def open_code(path, library=library):
        return Archive(library._archive.data()) if path == library.PATH else io.open_code(path)

    zipimport._io.open_code = open_code
    if 'packages.txt' in library.FILES:
        PACKAGES.update(line.split() for line in library.Importer(library.PATH).get_data('packages.txt').decode()
                        .splitlines())
