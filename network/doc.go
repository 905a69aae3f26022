// Package network has the rules that say which HTTP requests models' code may make.
//
//	rule, err := network.ParseRule("GET,POST https://api.github.com/repos/**")
//	...
//	policy := &network.Policy{
//		Rules:   []network.Rule{rule},
//		Secrets: []network.Secret{{Name: "GITHUB_TOKEN", Value: token, Hosts: []string{"api.github.com"}}},
//	}
//	runner, err := toolrun.Open(ctx, &toolrun.Options{Network: policy})
//
// A [Policy] belongs to the operator: code cannot change it, and sees only parts of it. Without one there is no
// network. Policies that are in use must not be changed; then all of their methods are safe for concurrent use.
//
// # Rules
//
// A [Rule] must allow the method, the host and the path of a request, and of each address that it is redirected to. A
// project's settings can have more rules ([SettingsField]). Whatever the rules say, names never lead to addresses of
// the machine itself, of private networks or of cloud services, unless the policy has these addresses too
// ([Policy].Reachable).
//
// # Secrets
//
// Code can use a [Secret], such as the token of an API, without seeing it: it has a placeholder, which is replaced
// outside of the sandbox, in requests to the hosts of the secret and nowhere else.
//
// # Limits
//
// [Limits] bound the time, the sizes and the number of requests. Zero means the default, and [Unlimited] no limit.
//
// # Gates
//
// A [Gate] makes the requests of one project's code, and a [Run] those of one run. The root package makes gates of a
// policy. Programs that make their own give them to calls as registry.Selection.Network. An [*Error] says why there is
// no response, in words for the author of the code; its [Kind] is for programs.
package network
