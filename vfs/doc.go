// Package vfs holds the files of projects: virtual file systems that tools can be let loose on.
//
//	store := vfs.NewMemoryStore(nil)
//	project, err := store.Open("notes")
//	...
//	err = afero.WriteFile(project, "/todo.txt", []byte("milk"), 0o644)
//
// A [Store] opens projects by their id, in memory ([NewMemoryStore]) or in a directory each ([OpenStore]). [OpenDir]
// makes a project of one directory of the host. A [Project] is an [afero.Fs]; so is every view of one: [ReadOnly] and
// [Sub].
//
// # Paths
//
// All paths go through [Clean]: they are slash-separated, relative to the root of the project with or without a slash in
// front, and ".." stays inside. Names differ if they differ in more than case and Unicode form: where a directory has a
// "Readme.md", there can be no "README.md" ([*NameConflictError]), and it cannot be reached by that name, on any host.
//
// # Reading and writing
//
// A file that is opened with [os.O_TRUNC], as [afero.Fs.Create] and [afero.WriteFile] do, is replaced as a whole: what
// is written becomes the file's content when the handle is synced or closed, all at once and durably, and until then
// others see what was there before (a new file is not there yet). If a write fails, or the process dies, nothing has
// happened. Without that flag writes go to the file in place, and others see them at once. [os.O_EXCL] is such a case:
// the file is made when it is opened.
//
// Errors are [*fs.PathError] with the path as the caller gave it, and never name a path of the host. They hold with
// [errors.Is] for fs.ErrNotExist, fs.ErrExist, fs.ErrPermission and fs.ErrInvalid, and for the numbers of package
// syscall: ENOENT, EEXIST, ENOTDIR, EISDIR, ENOTEMPTY, EINVAL, ENAMETOOLONG, EROFS (a read-only view), ENOSPC (a quota;
// [*QuotaError]), EMFILE (too many open files), EBUSY (the root cannot be removed or renamed), ESTALE (writing to a
// file that somebody else has replaced, removed or renamed) and EPERM (Chown).
//
// Renaming replaces a file, but never a directory (EEXIST). Directories list in byte order of their names. The owner
// can always read and write everything: [afero.Fs.Chmod] changes the other permission bits only.
//
// # Links and special files
//
// There is no way to make them here. Where a directory of the host has symbolic links, devices, pipes or sockets, they are
// listed and can be removed, but not opened or followed (fs.ErrPermission). A hard link is a file like others; writing to
// one makes it a file of its own first.
//
// # Compound operations
//
// [Exclusively] runs a function while nobody else, no other process either, changes the project. [Edit], [Append], [Copy]
// and [Move] are made of it, and work through views.
//
// # Calls, quotas and history
//
// What a tool does in one call goes through [Project.WithCall]: it can be undone as a whole ([Project.Undo]), and files
// that it has left open are closed by [Project.EndCall]. What a project may hold, and how much of what is replaced and
// removed it keeps, is in its [Options].
//
// # Isolation
//
// What keeps files of different projects and of the host apart is [os.Root], and that nothing follows links. A process
// with the rights of this one can of course change the directory of a project behind its back; nothing leads out of it
// even then, but usage and history do not notice.
package vfs
