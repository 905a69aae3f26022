// Package vfs defines the files of projects: virtual file systems that are safe to give to tools. Package vfs/local
// stores projects in memory and in directories, package vfs/postgres in a database, and package vfs/archive imports and
// exports them:
//
//	store := local.NewMemoryStore(nil)
//	project, err := store.Open(ctx, "notes")
//	...
//	call := project.WithCall("call_1")
//	err = afero.WriteFile(call, "/todo.txt", []byte("milk"), 0o644)
//	call.EndCall()
//	undone, err := project.Undo(ctx, "call_1")
//
// A [Store] opens projects by their ids. A [Project] is an [afero.Fs], and so is every view of one: [ReadOnly] and
// [Sub]. [View] makes others. Package vfstest checks that a file system behaves as described here.
//
// # Paths
//
// All paths go through [Clean]: they are slash-separated and relative to the root of the project, with or without a
// leading slash; ".." stays inside. Names that differ only in case or Unicode form conflict: in a directory with a
// "Readme.md", there can be no "README.md" ([*NameConflictError]), and the file cannot be reached by that name, on
// any host.
//
// # Reading and writing
//
// A file opened with [os.O_TRUNC], as by [afero.Fs.Create] and [afero.WriteFile], is replaced as a whole: when the
// handle is synced or closed, the new content takes effect, all at once and durably. Until then others see the old
// content, or no file if it is new. If a write fails, or the process dies, nothing has happened. Without that flag,
// writes go to the file in place, and others see them at once. [os.O_EXCL] also writes in place: the file is
// created when it is opened.
//
// Errors are [*fs.PathError] with the path as the caller gave it; they never name a path of the host. [errors.Is]
// works for fs.ErrNotExist, fs.ErrExist, fs.ErrPermission and fs.ErrInvalid, and for these errors of package
// syscall:
//
//   - ENOENT, EEXIST, ENOTDIR, EISDIR, ENOTEMPTY, EINVAL, ENAMETOOLONG
//   - EROFS: a read-only view
//   - ENOSPC: a quota ([*QuotaError])
//   - EMFILE: too many open files
//   - EBUSY: the root cannot be removed or renamed
//   - ESTALE: writing to a file that somebody else has replaced, removed or renamed
//   - EPERM: Chown
//
// Renaming replaces a file, but never a directory (EEXIST). Directories list in byte order of their names. The
// owner can always read and write everything: [afero.Fs.Chmod] changes the other permission bits only.
//
// # Links and special files
//
// They cannot be created. Symbolic links, devices, pipes and sockets in a directory of the host are listed and can
// be removed, but not opened or followed (fs.ErrPermission). A hard link is an ordinary file; before it is written
// to, it becomes a separate file.
//
// # Compound operations
//
// [Exclusively] runs a function while nobody else, in this or another process, changes the project. [WriteFile],
// [Edit], [Append], [Copy] and [Move] use it, and work through views. What is made, removed and renamed in it is
// durable at its end.
//
// # Calls and history
//
// The changes of one call of a tool go through [Project].WithCall: they can be undone as a whole ([History.Undo]),
// and EndCall closes the files that the call has left open. [Checkpoints] keep all files as they are at one moment, and
// Purge removes what the history has of a file.
//
// # Limits
//
// [Options] limit what a project may hold, and how much of what is replaced and removed it keeps. Unless they say
// otherwise, that is 256 MiB in 10,000 files of at most 32 MiB, and a history of 64 MiB and 30 days. Sizes are in
// bytes; zero means the default, and [Unlimited] no limit.
//
// # Concurrency
//
// Stores, projects, views and open files are safe for concurrent use, also by several processes that share a store.
// Changes wait for each other; others can read meanwhile.
//
// # Isolation
//
// [os.Root], and the rule that links are never followed, keep a project's files apart from other projects and the
// host. A process with the same rights can change the directory of a project directly. Nothing leads out of the
// project even then, but usage and history do not contain such changes.
package vfs
