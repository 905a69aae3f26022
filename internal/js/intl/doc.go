// Package intl computes what JavaScript's Intl gives: locales and their negotiation, and texts made of numbers, lists,
// times and names as people of a locale write them.
//
// The data is CLDR's, of the version that a Node 20 has; the results are meant to equal Node's to the character. It is
// embedded in compressed tables (folder data, written by gen) and decoded when it is first needed: a process that
// formats nothing pays nothing.
//
// All functions may be used concurrently. Their arguments may come from a hostile script: they are bounded here, and
// nothing panics.
package intl

//go:generate go run ./gen
