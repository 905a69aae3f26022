package selftest

import (
	"slices"
	"strings"
)

// How attacks end that are not scripts.
const (
	answered = "answered"
	refused  = "refused"
)

type oddMessage struct {
	name, attempt string // attempt describes the message
	message       text
}

// odd are messages of JSON-RPC that grow when they are decoded. Those with an id have 2.
var odd = []oddMessage{
	{"meta", "a ping whose _meta has millions of empty arrays",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{"a":[`, unit: `[],`, tail: `[]]}}}`}},
	{"objects", "arguments that are millions of empty objects",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":[`,
			unit: `{},`, tail: `{}]}}}`}},
	{"deep", "arguments that are nested as deep as can be, again and again",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":[`,
			unit: strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + ",", tail: `[]]}}}`}},
	{"numbers", "arguments that are millions of digits",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":[`,
			unit: `0,`, tail: `0]}}}`}},
	{"values", "arguments of as many values as may be in a message of that size",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":[`,
			unit: `[],              `, tail: `[]]}}}`}},
	{"text", "an argument that is one long text",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":"`,
			unit: `\u00e9`, tail: `"}}}`}},
	{"names", "one name millions of times",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{`,
			unit: `"":[],`, tail: `"a":[]}}}`}},
	{"method", "a method without an end", text{head: `{"jsonrpc":"2.0","id":2,"method":"`, unit: `x/`, tail: `"}`}},
	{"escapes", "an id of nothing but escapes",
		text{head: `{"jsonrpc":"2.0","id":"`, unit: `\u0000`, tail: `","method":"ping"}`}},
	{"unknown", "a method that there is not, with millions of parameters",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"no/such","params":{"a":[`, unit: `"",`, tail: `""]}}`}},
	{"notification", "a notification that has millions of values",
		text{head: `{"jsonrpc":"2.0","method":"notifications/progress",` +
			`"params":{"progressToken":1,"progress":1,"_meta":{"a":[`, unit: `{},`, tail: `{}]}}}`}},
	{"response", "the answer to no request, with millions of values",
		text{head: `{"jsonrpc":"2.0","id":77,"result":{"a":[`, unit: `[],`, tail: `[]]}}`}},
	{"batch", "a batch of millions of empty messages", text{head: `[`, unit: `{},`, tail: `{}]`}},
	{"resources", "an address without an end",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"toolrun://selftest/`,
			unit: `../`, tail: `"}}`}},
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"clientInfo":{"name":"c","version":"1"},"capabilities":{}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	correctCall = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"a":["right"]}}}`
	// most is the most that messages may make the process grow, however large they are.
	most = 64 << 20

	// largestMessage is just below the limit of a server.
	largestMessage = 32<<20 - 1
)

// messages are attacks by messages of the Model Context Protocol, on a server by its clients and on a client by its
// servers.
func messages() []Attack {
	const size = 1 << 20
	// A message may be refused or answered, as long as it takes no memory.
	either := []string{answered, refused}
	var all []Attack
	add := func(name, attempt string, grows int64, prepare preparation) {
		all = append(all, Attack{
			Name: amplification + "-messages-" + name, Attempt: attempt, Endings: either,
			Grows: grows, prepare: prepare,
		})
	}
	for _, o := range odd {
		message := o.message.sized(size)
		add("http-"+o.name, "Sends a server over HTTP "+o.attempt+".", mostGrown(message.size()), overHTTP(1, message))
		add("stdio-"+o.name, "Sends a server over stdio "+o.attempt+".", mostGrown(message.size()), overStdio(message))
	}
	message := func(name string, size int) text {
		return odd[slices.IndexFunc(odd, func(o oddMessage) bool { return o.name == name })].message.sized(size)
	}
	largest := message("meta", largestMessage)
	add("http-largest", "Sends a server over HTTP the largest message that it takes, of empty arrays.",
		most, overHTTP(1, largest))
	add("stdio-largest", "Sends a server over stdio the largest message that it takes, of empty arrays.",
		most, overStdio(largest))
	add("http-at-once-meta", "Sends a server 64 messages of empty arrays at once, 256 KiB each.",
		most, overHTTP(64, message("meta", 256<<10)))
	add("http-at-once-small", "Sends a server 64 messages of empty arrays at once, 20 KiB each.",
		most, overHTTP(64, message("objects", 20<<10)))
	add("http-at-once-values", "Sends a server 64 messages at once that have as many values as may be, 1 MiB each.",
		most, overHTTP(64, message("values", size)))
	add("http-at-once-text", "Sends a server 64 messages at once that have a long text, 1 MiB each.",
		most, overHTTP(64, message("text", size)))
	add("greetings", "Begins a thousand sessions with the largest greeting that is let in.", most, greetings)
	for _, s := range serverAnswers {
		answer := s.answer.sized(size)
		add("server-"+s.name, "Sends a client "+s.attempt+".", mostGrown(answer.size()), fromServer(s.method, answer))
	}
	large := serverAnswers[len(serverAnswers)-1]
	add("server-largest", "Sends a client almost the largest result that it takes, "+
		"of empty arrays, which a server passes on.",
		mostGrown(15<<20), passedOn(large.answer.sized(15<<20)))
	return all
}
