// Package systemtest holds the tests that need more than one process's memory: other processes and their being killed,
// PostgreSQL, the kernel's confinement, real terminals, compilers, npm, or a process of their own to measure. Tests of
// `go test ./...` need none of these, and a test in the root of the module (TestSuites) keeps it so.
//
// The tests are behind a build tag and run one package at a time, since each may use the whole machine:
//
//	go test -tags systemtest -p 1 ./systemtest/...
//
// What the machine does not have (PostgreSQL, npm, Landlock) skips the tests that need it, and says so.
package systemtest
