package provider

import (
	"regexp"
	"strings"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// rules describe what a provider supports in a schema. All providers also support type, properties, required, items,
// anyOf (but not at the root), title and description.
type rules struct {
	// keep lists the other supported keywords, except at the root.
	keep map[string]bool
	// root lists the keywords that are supported at the root.
	root map[string]bool
	// rootNames matches the permitted names of properties at the root. Nil permits any name.
	rootNames func() *regexp.Regexp
	// formats lists the supported formats. Nil supports all.
	formats map[string]bool
	// apart means that no other keywords may stand beside anyOf.
	apart bool
	// plainEnums means that enum supports only strings and numbers.
	plainEnums bool

	// strict means strict mode. allRequired means that strict mode permits no optional properties.
	strict, allRequired bool
	// fewItems means that minItems must be 0 or 1.
	fewItems bool
	// Limits of strict mode on the numbers of properties, of values in enums, and of levels. 0 means no limit.
	maxProperties, maxEnum, maxLevels int
	// maxChars limits the total number of characters in property names and values. maxEnumChars limits those in the
	// values of one enum with more than manyValues values. 0 means no limit.
	maxChars, maxEnumChars, manyValues int
}

// plainTypes reports whether a choice of values needs a type beside it.
func (r *rules) plainTypes() bool { return r.strict || r.plainEnums }

// set returns the set of the words in all lists.
func set(lists ...string) map[string]bool {
	s := map[string]bool{}
	for _, list := range lists {
		for _, word := range strings.Fields(list) {
			s[word] = true
		}
	}
	return s
}

// everywhere lists the keywords that all providers support at the root and elsewhere, except that Bedrock supports
// fewer at the root.
const everywhere = "type properties required title description"

// validation lists the keywords that always make a schema stricter. Keywords that can invert a schema (not, if,
// contains, unevaluatedProperties) are never sent: an omission inside of them would make the whole schema stricter.
const validation = `const enum format default examples
	minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern
	minItems maxItems uniqueItems prefixItems
	minProperties maxProperties additionalProperties patternProperties propertyNames dependentRequired`

// claudeNames matches permitted names of properties at the root. Elsewhere any name is permitted.
var claudeNames = lazyregexp.New(`^[a-zA-Z0-9_.-]{1,64}$`)

// The rules without strict mode.
var (
	// Any JSON Schema of draft 2020-12 without alternatives at the root.
	//
	// https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools
	claudeRules = &rules{keep: set(validation), root: set(everywhere, validation), rootNames: claudeNames}

	// The API says: schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.
	openAIRules = &rules{keep: set(validation), root: without(set(everywhere, validation), "enum", "const")}

	// The keywords that ai.google.dev/api/generate-content lists for responseJsonSchema; the same code reads
	// parametersJsonSchema. Unknown keywords make the API refuse the request.
	geminiRules = &rules{
		keep:       set("enum format minimum maximum minItems maxItems prefixItems additionalProperties"),
		root:       set(everywhere, "additionalProperties"),
		formats:    set("date-time date time int32 int64 float double"),
		apart:      true,
		plainEnums: true,
	}

	// Anthropic's models need claudeNames; Amazon's support three keywords at the root.
	//
	// https://docs.aws.amazon.com/nova/latest/userguide/prompting-tool-troubleshooting.html
	bedrockRules = &rules{keep: set(validation), root: set("type properties required"), rootNames: claudeNames}
)

// The rules of strict mode.
var (
	// https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
	openAIStrict = &rules{
		keep: set(`const enum format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf pattern
			minItems maxItems additionalProperties`),
		root:          set(everywhere, "additionalProperties"),
		formats:       set("date-time time date duration email hostname ipv4 ipv6 uuid"),
		apart:         true,
		strict:        true,
		allRequired:   true,
		maxProperties: 5000, maxEnum: 1000, maxLevels: 10,
		maxChars: 120_000, maxEnumChars: 15_000, manyValues: 250,
	}

	// https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
	claudeStrict = &rules{
		keep:       set("const enum format pattern minItems additionalProperties"),
		root:       set(everywhere, "additionalProperties"),
		rootNames:  claudeNames,
		formats:    set("date-time time date duration email hostname uri ipv4 ipv6 uuid"),
		apart:      true,
		plainEnums: true,
		strict:     true,
		fewItems:   true,
	}

	// https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html
	bedrockStrict = claudeStrict.withRoot("type properties required additionalProperties")
)

// withRoot returns the rules with other keywords at the root.
func (r *rules) withRoot(keywords string) *rules {
	others := *r
	others.root = set(keywords)
	return &others
}

func without(s map[string]bool, words ...string) map[string]bool {
	for _, word := range words {
		delete(s, word)
	}
	return s
}

// takesPattern reports whether strict mode supports a regular expression. It has no lookaround and no backreferences.
func takesPattern(pattern string) bool {
	for _, part := range []string{"(?=", "(?!", "(?<", `\b`, `\B`, `\1`, `\2`, `\k`} {
		if strings.Contains(pattern, part) {
			return false
		}
	}
	return true
}
