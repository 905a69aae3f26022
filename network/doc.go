// Package network has the rules that say which HTTP requests models' code may make.
//
// A [Policy] belongs to the operator: code cannot change it, and sees only parts of it. It has rules, one of which must
// allow a request; secrets, such as tokens of APIs, which are put into requests outside of the sandbox; and limits.
// Without a policy there is no network.
//
// Whatever the rules say, names never lead to addresses of the machine itself, of private networks or of cloud
// services, unless the policy has these addresses too.
package network
