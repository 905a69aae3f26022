//go:build systemtest

package pgtest

const mayStart = true
