// Package jsregexp translates regular expressions of JavaScript that are newer than the engine into ones that it knows:
// sets of the flag v, modifiers such as (?i:x), and several groups of one name.
package jsregexp
