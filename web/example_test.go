package web_test

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/web"
)

// A page for the person who has started the program, and who gets in by the link that it prints.
func Example() {
	runner, err := toolrun.Open(context.Background(), &toolrun.Options{DataDir: "data", NoteCalls: true})
	if err != nil {
		log.Fatal(err)
	}
	defer runner.Close()
	page, err := web.New(runner, nil)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Link("http://" + listener.Addr().String()))
	log.Fatal(http.Serve(listener, page))
}

// Programs and people with a token get what it allows.
func ExampleOptions() {
	tokens := map[string]*web.Access{
		"Bearer 7b1c9e": {Client: "alice", Role: web.Person, Project: "notes"},
	}
	_ = web.Options{
		Hosts: []string{"tools.example.com"},
		Token: func(r *http.Request) *web.Access { return tokens[r.Header.Get("Authorization")] },
	}
}
