package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// variable matches ${NAME}, ${env:NAME} and ${NAME:-default}, with the name and the default as groups 1 and 2, and
// ${input:ID}, with the id as group 3. It also matches malformed variables.
var variable = lazyregexp.New(`\$\{(?:env:)?([^}:]*)(:-[^}]*)?\}|\$\{input:([^}]*)\}|\$\{[^}]*\}`)

// secretName matches a word in the names of secrets. notSecret matches a last word that shows that it is something
// else, such as the path of a secret.
var (
	secretName = lazyregexp.New(
		`(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTHORIZATION|COOKIE)$|^(AUTH|PAT)$`)
	notSecret = lazyregexp.New(`^(PATH|FILE|DIR|ID|URL|NAME)$`)
)

// looksSecret reports whether a variable, a header or a parameter is a secret by its name.
func looksSecret(name string) bool {
	all := words(name)
	return len(all) > 0 && !notSecret().MatchString(all[len(all)-1]) &&
		slices.ContainsFunc(all, secretName().MatchString)
}

// words splits a name into words, in upper case. API_KEY, x-api-key and apiKey contain the same words API and KEY.
func words(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToUpper(r))
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) })
}

// isPlain reports whether a secret is written in the configuration: as a value without variables, or as a default.
func isPlain(value string) bool {
	found := variable().FindAllStringSubmatch(value, -1)
	return strings.TrimSpace(value) != "" && (len(found) == 0 ||
		slices.ContainsFunc(found, func(match []string) bool { return len(match[2]) > len(":-") }))
}

// checkVariables returns an error for a variable that is not closed.
func checkVariables(text string) error {
	rest := variable().ReplaceAllString(text, "")
	if i := strings.Index(rest, "${"); i >= 0 {
		return fmt.Errorf("%s is not closed: write ${NAME} or ${NAME:-default}", plaintext.Cut(rest[i:], 20))
	}
	return nil
}

// editorVariable matches variables that only editors support.
var editorVariable = lazyregexp.New(`^\$\{(` +
	`workspaceFolder(Basename)?|workspaceRoot|userHome|pathSeparator|/|cwd|execPath|lineNumber|selectedText|` +
	`(file|relativeFile)(Basename|BasenameNoExtension|Dirname|Extname|WorkspaceFolder|DirnameBasename)?|` +
	`(workspaceFolder|config|command):.*)\}$`)

// noValue returns the error for a variable without a value.
func noValue(match, name string) error {
	if editorVariable().MatchString(match) {
		return fmt.Errorf("%s is a variable of editors and has no value here: write the value itself",
			plaintext.Cut(match, 100))
	}
	return fmt.Errorf("the variable %s is not set in the environment", plaintext.Cut(name, 100))
}

// scheme matches the word before a secret, as in "Bearer TOKEN".
var scheme = lazyregexp.New(`^[A-Za-z]+ +`)

// An expander replaces variables by their values, and collects the secrets.
type expander struct {
	lookup  func(name string) (value string, ok bool)
	inputs  map[string]Input
	secrets []string
}

// inputVariable returns the name of the variable that can hold an input: GITHUB_TOKEN for github-token.
func inputVariable(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, id)
}

// input returns the value of an input: that of a variable of the environment, or the default.
func (e *expander) input(id string) (value string, ok bool) {
	if e.lookup != nil {
		if value, ok := e.lookup(inputVariable(id)); ok && value != "" {
			return value, true
		}
	}
	value = e.inputs[id].Default
	return value, value != ""
}

// expand replaces the variables in a text. If secret is set, all their values are secrets.
func (e *expander) expand(text string, secret bool) (string, error) {
	var err error
	text = variable().ReplaceAllStringFunc(text, func(match string) string {
		parts := variable().FindStringSubmatch(match)
		name, fallback, id := parts[1], parts[2], parts[3]
		if id != "" {
			value, ok := e.input(id)
			if !ok {
				err = errors.Join(err, fmt.Errorf("${input:%s} has no value: set the variable %s in the environment",
					plaintext.Cut(id, 100), plaintext.Cut(inputVariable(id), 100)))
			}
			e.secrets = append(e.secrets, value) // most inputs are secrets
			return value
		}
		if name == "" && !editorVariable().MatchString(match) {
			err = errors.Join(err, fmt.Errorf("%s is not understood: variables are written as ${NAME}, "+
				"${NAME:-default} or ${input:ID}", plaintext.Cut(match, 100)))
			return ""
		}
		var value string
		var ok bool
		if e.lookup != nil {
			value, ok = e.lookup(name)
		}
		switch {
		case value == "" && fallback != "":
			return fallback[len(":-"):] // a default is a secret if the whole field is
		case !ok:
			err = errors.Join(err, noValue(match, name))
		case strings.ContainsAny(value, "\x00\r\n"):
			err = errors.Join(err, fmt.Errorf("the variable %s has more than one line", plaintext.Cut(name, 100)))
			return ""
		case secret || looksSecret(name):
			e.secrets = append(e.secrets, value)
		}
		return value
	})
	return text, err
}

// config returns the configuration of a server with all variables replaced.
func (e *expander) config(s ServerConfig) (ServerConfig, error) {
	s, wrong := s.edited(func(name, text string) (string, error) {
		secret := looksSecret(name)
		text, err := e.expand(text, secret)
		if secret && err == nil {
			e.secrets = append(e.secrets, scheme().ReplaceAllString(text, ""))
		}
		return text, err
	})
	if wrong != nil {
		return s, wrong
	}
	if s.URL == "" {
		return s, nil
	}
	address, err := url.Parse(s.URL)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return s, &ConfigError{Field: "url",
			Err: errors.New("it is not an address that begins with http:// or https://")}
	}
	if password, ok := address.User.Password(); ok {
		e.secrets = append(e.secrets, password)
	}
	for parameter := range strings.SplitSeq(address.RawQuery, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		if plain, err := url.QueryUnescape(name); err == nil && looksSecret(plain) {
			e.secrets = append(e.secrets, value)
			if plain, err := url.QueryUnescape(value); err == nil {
				e.secrets = append(e.secrets, plain)
			}
		}
	}
	return s, nil
}

// minSecret is the minimum length of secrets that are redacted, in bytes. Shorter ones occur in ordinary words.
const minSecret = 6

// A redactor removes secrets from texts. A nil redactor removes nothing.
type redactor struct{ replacer *strings.Replacer }

func newRedactor(secrets []string) *redactor {
	// the longest first: one can be part of another
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, secret := range secrets {
		if len(secret) < minSecret {
			continue
		}
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
			pairs = append(pairs, form, "[redacted]")
		}
	}
	if pairs == nil {
		return nil
	}
	return &redactor{strings.NewReplacer(pairs...)}
}

func (r *redactor) text(text string) string {
	if r == nil {
		return text
	}
	return r.replacer.Replace(text)
}

// json removes secrets from the strings, names and numbers of JSON, which must be valid.
func (r *redactor) json(data json.RawMessage) json.RawMessage {
	if r == nil {
		return data
	}
	return mapStrings(data, func(_, text string) string { return r.replacer.Replace(text) })
}
