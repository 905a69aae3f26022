// Package servertest tests package s3 with a server. It is a module of its own, so that what it needs for that is in
// nobody's go.mod.
package servertest
