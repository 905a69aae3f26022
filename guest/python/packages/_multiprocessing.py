"""Stands for the module of this name, which packages import: nothing of it can be used."""


class SemLock:
    SEM_VALUE_MAX = 2**31 - 1

    def __init__(self, *args, **options):
        raise OSError("there are no other processes: call the function directly")


def sem_unlink(name):
    raise FileNotFoundError(name)


flags = {}
