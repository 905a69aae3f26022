/* What SQLite's Unix layer expects and WASI does not have: owners, modes and record locks. Databases are
 * locked by folders ("unix-dotfile"), so what would lock files is never called. */
#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

static inline int fchmod(int fd, mode_t mode) { return 0; }
static inline int fchown(int fd, uid_t owner, gid_t group) { return 0; }
static inline uid_t geteuid(void) { return 0; }

#ifndef F_SETLK
#define F_GETLK 5
#define F_SETLK 6
#define F_SETLKW 7
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#endif
