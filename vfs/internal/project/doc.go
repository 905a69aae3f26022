// Package project has the rules of projects, whatever they are stored in: what [vfs.Project] promises of atomic
// replacement, quotas, history, undo, calls, exclusive sections and protected names. Where the files of a project lie
// is a [Backend]: a plain tree that knows nothing of all that.
//
// Whoever writes a store writes a Backend, and gets projects from [NewCore].
package project
