package network_test

import (
	"fmt"
	"log"

	"github.com/toolrun/toolrun/network"
)

// Code may read and write issues of one repository, and send a token there that it does not see.
func ExamplePolicy() {
	rule, err := network.ParseRule("GET,POST https://api.github.com/repos/toolrun/toolrun/issues/**")
	if err != nil {
		log.Fatal(err)
	}
	policy := &network.Policy{
		Rules:   []network.Rule{rule},
		Secrets: []network.Secret{{Name: "GITHUB_TOKEN", Value: "an example", Hosts: []string{"api.github.com"}}},
	}
	if err := policy.Check(); err != nil {
		log.Fatal(err)
	}
	for _, method := range []string{"GET", "DELETE"} {
		allowed, err := policy.Allows(method, "https://api.github.com/repos/toolrun/toolrun/issues/1")
		fmt.Println(method, allowed != nil, err)
	}
	// Output:
	// GET true <nil>
	// DELETE false <nil>
}
