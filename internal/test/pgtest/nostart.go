//go:build !systemtest

package pgtest

// mayStart says whether tests of this build may start a server.
const mayStart = false
