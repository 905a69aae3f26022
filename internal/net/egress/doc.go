// Package egress makes the requests that a [network.Policy] allows. It is the only way from the code of models to the
// network.
//
// Nothing that a request says is trusted: its URL is read as browsers read it, each host is resolved here, each of its
// addresses is checked, and the checked address is the one that is dialled; redirects are followed here, and each is
// checked as a request of its own. Responses are not trusted either: their size, their headers and what they compress
// are bounded, and secrets that they echo are struck out.
package egress
