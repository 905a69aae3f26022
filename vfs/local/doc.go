// Package local keeps projects in memory and in directories of the host.
//
//	store, err := local.OpenStore("projects", nil)
//	...
//	project, err := store.Open(ctx, "notes")
//
// [NewMemoryStore] and [OpenStore] return stores of projects. [OpenDir] makes a project of one directory of the host.
// Package vfs describes what stores and projects promise.
//
// # Directories
//
// A project in a directory is accessed through [os.Root], and no link is ever followed. Its lock, temporary files,
// history and settings are in the subdirectory ".toolrun", which no path of the project can name. Several processes
// can use the same store.
package local
