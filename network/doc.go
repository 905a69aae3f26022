// Package network says which requests the code of models may make over HTTP, and what it may know of them.
//
// A [Policy] belongs to whoever runs the code: code can neither see it whole nor change it. It has rules, of which one
// must allow a request; secrets, such as tokens of APIs, which are put into requests outside of the sandbox; and
// limits. Without a policy there is no network.
//
// Whatever the rules say, names that mean addresses of the machine itself, of private networks or of the services of
// clouds are refused, unless the policy has these addresses, too.
package network
