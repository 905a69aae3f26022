package mcphttp

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
)

// MaxTokens is the largest file of tokens in bytes.
const MaxTokens = 4 << 20

// minToken is how many characters a token must have at least, so that it cannot be guessed.
const minToken = 24

// A Token describes what its holder can use.
type Token struct {
	// Name is for logs and people. A token without one gets one that does not reveal it.
	Name string `json:"name"`
	// Token is the token itself. SHA256 is its hash in hexadecimal, which makes the file not worth stealing.
	Token  string `json:"token,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	// Project is the project of the token's clients.
	Project string `json:"project"`
	// Role is what the token's holder may do on the page and its API. The zero value is that of a model.
	Role service.Role `json:"role,omitempty"`
	// Tools are the only enabled tools; nil leaves the choice to the project. Options are values by tool and
	// option.
	Tools   []string                  `json:"tools,omitempty"`
	Options map[string]map[string]any `json:"options,omitempty"`
	// NoResources offers no files as resources; tools can still use them.
	NoResources bool   `json:"noResources,omitempty"`
	Limits      Limits `json:"limits,omitzero"`
	// Metrics lets the token read /metrics.
	Metrics bool `json:"metrics,omitempty"`

	hash [sha256.Size]byte
}

// Limits are the limits of a token. Zero means the default.
type Limits struct {
	// Timeout is how long a call may take.
	Timeout Duration `json:"timeout,omitzero"`
	// Calls is how many calls run at the same time. Rate is how many requests are accepted per second.
	Calls int     `json:"calls,omitempty"`
	Rate  float64 `json:"rate,omitempty"`
	// Bytes, Files and FileSize are as in [vfs.Quota].
	Bytes    int64 `json:"bytes,omitempty"`
	Files    int64 `json:"files,omitempty"`
	FileSize int64 `json:"fileSize,omitempty"`
}

// A Duration is written as in "30s".
type Duration time.Duration

// UnmarshalJSON reads a string.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return errors.New(`a time is written as in "30s"`)
	}
	parsed, err := time.ParseDuration(text)
	*d = Duration(parsed)
	return err
}

// ParseTokens parses a file of tokens. The error says which token is invalid, and never quotes it.
func ParseTokens(data []byte) ([]*Token, error) {
	var file struct {
		Tokens []*Token `json:"tokens"`
	}
	if len(data) > MaxTokens {
		return nil, fmt.Errorf("a file of tokens may have %d bytes", MaxTokens)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, quiet(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("unexpected data after the JSON object")
	}
	if len(file.Tokens) == 0 {
		return nil, errors.New(`there are no tokens: "tokens" is a list of them`)
	}
	seen := map[[sha256.Size]byte]bool{}
	for i, t := range file.Tokens {
		if t == nil {
			return nil, fmt.Errorf("token %d is null", i+1)
		}
		name := cmp.Or(t.Name, fmt.Sprintf("token %d", i+1))
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if seen[t.hash] {
			return nil, fmt.Errorf("%s: another token is the same", name)
		}
		if t.Name == "" {
			t.Name = t.Client() // which does not depend on its place in the file
		}
		seen[t.hash] = true
	}
	return file.Tokens, nil
}

// quiet rewords errors of package json that quote the file, since the quote could be a token.
func quiet(err error) error {
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("not JSON, at byte %d", e.Offset)
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s has the wrong type, at byte %d", e.Field, e.Offset)
	}
	return err
}

func (t *Token) check() error {
	switch {
	case (t.Token == "") == (t.SHA256 == ""):
		return errors.New(`it must have either "token" or "sha256"`)
	case t.Token != "" && len(t.Token) < minToken:
		return fmt.Errorf("a token must have at least %d characters", minToken)
	case t.Token != "":
		if strings.ContainsFunc(t.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return errors.New("a token may only have printable ASCII characters without spaces")
		}
		t.hash = sha256.Sum256([]byte(t.Token))
	default:
		hash, err := hex.DecodeString(t.SHA256)
		if err != nil || len(hash) != sha256.Size {
			return errors.New(`"sha256" must be 64 hexadecimal digits`)
		}
		t.hash = [sha256.Size]byte(hash)
	}
	t.Token = "" // only the hash is needed
	if _, err := service.ParseRole(string(t.Role)); err != nil {
		return fmt.Errorf("role: %w", err)
	}
	if err := vfs.CheckID(t.Project); err != nil {
		return fmt.Errorf("project: %w", err)
	}
	l := t.Limits
	if l.Timeout < 0 || l.Calls < 0 || l.Rate < 0 || l.Bytes < 0 || l.Files < 0 || l.FileSize < 0 {
		return errors.New("limits must not be negative")
	}
	return nil
}

// Same reports whether the token itself is the same, whatever its rights are.
func (t *Token) Same(other *Token) bool { return t.hash == other.hash }

// Client names who holds the token: by its name, and by a digest, since names of tokens can be the same. It is the same
// on each server and whatever the token's rights are, and does not reveal the token.
func (t *Token) Client() string {
	digest := sha256.Sum256(append([]byte("client\n"), t.hash[:]...))
	client := fmt.Sprintf("token %x", digest[:6])
	if t.Name == "" || t.Name == client {
		return client
	}
	return fmt.Sprintf("%s (%s)", t.Name, client)
}

// Binding names the token's use of its project. It stays the same when other fields of its entry change, and does not
// reveal the token.
func (t *Token) Binding() string {
	digest := sha256.Sum256(slices.Concat([]byte("project\n"), t.hash[:], []byte(t.Project)))
	return hex.EncodeToString(digest[:])
}

// Identity is a text that is the same for entries of one token that give the same rights, and differs for all others.
// It does not reveal the token.
func (t *Token) Identity() string {
	all := *t
	all.SHA256 = hex.EncodeToString(t.hash[:])
	data, err := json.Marshal(all)
	if err != nil { // of options that came from JSON
		panic(err)
	}
	hash := sha256.Sum256(data)
	return "token " + hex.EncodeToString(hash[:])
}

// Select applies the token's tools and options to the project's selection.
func (t *Token) Select(selection registry.Selection) registry.Selection {
	selection.Options = t.Options
	if t.Tools != nil {
		selection = selection.Only(t.Tools...)
	}
	return selection
}

// Chooses reports whether the token says which tools there are or what their options are, so that nobody else does.
func (t *Token) Chooses() bool { return t.Tools != nil || t.Options != nil }

func (t *Token) mayReadMetrics() bool { return t != nil && t.Metrics }

// Find returns the token that a request carries as a bearer token, or nil. The time that it takes does not depend
// on how much of a token is right. If it finds one, it marks the request's connection as one that has shown a
// token.
//
// https://www.rfc-editor.org/rfc/rfc6750#section-2.1
func Find(tokens []*Token, r *http.Request) *Token {
	scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || len(r.Header.Values("Authorization")) != 1 {
		return nil
	}
	hash := sha256.Sum256([]byte(strings.TrimSpace(text)))
	var found *Token
	for _, t := range tokens {
		if subtle.ConstantTimeCompare(hash[:], t.hash[:]) == 1 {
			found = t
		}
	}
	if found != nil {
		Known(r)
	}
	return found
}

// NewToken makes a new random token, and its entry for the file, which does not reveal it.
func NewToken(name, project string) (token string, entry Token) {
	token = rand.Text() + rand.Text()
	hash := sha256.Sum256([]byte(token))
	return token, Token{Name: name, SHA256: hex.EncodeToString(hash[:]), Project: project}
}
