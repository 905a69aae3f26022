/* Modes of files, which WASI does not have: changing them does nothing, so that copying files works. The linker puts
 * these in the place of those of libc, which always fail. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int __wrap_chmod(const char *path, mode_t mode) { return access(path, F_OK); }
int __wrap_fchmod(int fd, mode_t mode) { return 0; }
int __wrap_fchmodat(int fd, const char *path, mode_t mode, int flags) { return faccessat(fd, path, F_OK, 0); }
