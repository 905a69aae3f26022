"""Stands for the module of this name, which packages import: files need no locks, since nobody else runs at the same
time."""

F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW = range(8)
F_RDLCK, F_WRLCK, F_UNLCK = range(3)
FD_CLOEXEC = 1
LOCK_SH, LOCK_EX, LOCK_NB, LOCK_UN = 1, 2, 4, 8


def flock(fd, operation, /): pass
def lockf(fd, cmd, len=0, start=0, whence=0, /): pass


def fcntl(fd, cmd, arg=0, /):
    if cmd in (F_GETFD, F_GETFL):
        return 0
    if cmd in (F_SETFD, F_SETFL, F_SETLK, F_SETLKW):
        return arg
    raise OSError("this is not there in a sandbox")


def ioctl(fd, request, arg=0, mutate_flag=True, /):
    raise OSError("this is no terminal")
