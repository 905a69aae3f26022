package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/toolrun/toolrun/internal/plaintext"
)

// variable matches what stands for a variable: ${NAME}, ${env:NAME} and ${NAME:-default}.
var variable = regexp.MustCompile(`\$\{(?:env:)?([^}:]*)(:-[^}]*)?\}|\$\{[^}]*\}`)

// secretName matches a word that a name of a secret has in it, and notSecret one that such a name ends in if it is
// that of something else.
var (
	secretName = regexp.MustCompile(`(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTHORIZATION|COOKIE)$|^(AUTH|PAT)$`)
	notSecret  = regexp.MustCompile(`^(PATH|FILE|DIR|ID|URL|NAME)$`)
)

// looksSecret reports whether a variable, a header or a parameter has a name as secrets have.
func looksSecret(name string) bool {
	all := words(name)
	return len(all) > 0 && !notSecret.MatchString(all[len(all)-1]) && slices.ContainsFunc(all, secretName.MatchString)
}

// words are the words that a name is made of, in upper case: API_KEY, x-api-key and apiKey have the same.
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

// checkSecret refuses secrets that are written in the configuration.
func checkSecret(name, value string) error {
	if !looksSecret(name) || strings.TrimSpace(value) == "" {
		return nil
	}
	found := variable.FindAllStringSubmatch(value, -1)
	if len(found) == 0 {
		example := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		return fmt.Errorf(`it is a secret, which must not be in the configuration: write it as "${%s}", and set that variable `+
			`in the environment`, plaintext.Cut(example, 100))
	}
	for _, match := range found {
		if len(match[2]) > len(":-") {
			return errors.New("it is a secret, which cannot have a default that is in the configuration")
		}
	}
	return nil
}

// An expander puts values in the places of variables, and remembers those that are secrets.
type expander struct {
	lookup  func(name string) (value string, ok bool)
	secrets []string
}

// expand returns text with values. A field that holds a secret makes one of every value in it.
func (e *expander) expand(text string, secret bool) (string, error) {
	var err error
	text = variable.ReplaceAllStringFunc(text, func(match string) string {
		parts := variable.FindStringSubmatch(match)
		name, fallback := parts[1], parts[2]
		if name == "" {
			err = errors.Join(err, fmt.Errorf("%s is not understood: variables are written as ${NAME} or ${NAME:-default}",
				plaintext.Cut(match, 100)))
			return ""
		}
		var value string
		var ok bool
		if e.lookup != nil {
			value, ok = e.lookup(name)
		}
		switch {
		case value == "" && fallback != "":
			return fallback[len(":-"):]
		case !ok:
			err = errors.Join(err, fmt.Errorf("the variable %s is not set in the environment",
				plaintext.Cut(name, 100)))
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

// config returns the configuration of a server with values.
func (e *expander) config(s ServerConfig) (ServerConfig, error) {
	fail := func(field string, err error) (ServerConfig, error) { return s, &ConfigError{Field: field, Err: err} }
	var err error
	for field, text := range map[string]*string{"command": &s.Command, "cwd": &s.Dir, "url": &s.URL} {
		if *text, err = e.expand(*text, false); err != nil {
			return fail(field, err)
		}
	}
	s.Args = slices.Clone(s.Args)
	for i := range s.Args {
		if s.Args[i], err = e.expand(s.Args[i], false); err != nil {
			return fail(fmt.Sprintf("args[%d]", i), err)
		}
	}
	expandAll := func(in map[string]string) (out map[string]string, field string, err error) {
		out = make(map[string]string, len(in))
		for name, value := range in {
			if out[name], err = e.expand(value, looksSecret(name)); err != nil {
				return nil, name, err
			}
		}
		return out, "", nil
	}
	var field string
	if s.Env, field, err = expandAll(s.Env); err != nil {
		return fail("env."+field, err)
	}
	if s.Headers, field, err = expandAll(s.Headers); err != nil {
		return fail("headers."+field, err)
	}
	if s.URL == "" {
		return s, nil
	}
	address, err := url.Parse(s.URL)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return fail("url", errors.New("it is not an address that begins with http:// or https://"))
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

// minSecret is how many bytes a secret must have to be found in texts: shorter ones are parts of words.
const minSecret = 6

// A redactor takes secrets out of texts. Nil takes out nothing.
type redactor struct{ replacer *strings.Replacer }

func newRedactor(secrets []string) *redactor {
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // one can be in another
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

// json takes secrets out of the strings, names and numbers of JSON, which must be valid.
func (r *redactor) json(data json.RawMessage) json.RawMessage {
	if r == nil {
		return data
	}
	return mapStrings(data, func(_, text string) string { return r.replacer.Replace(text) })
}
