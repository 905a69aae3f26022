package provider

import (
	"regexp"
	"strings"
)

// rules describe what a provider supports in a schema. Beside what they list, all providers support type,
// properties, required, items, anyOf (but not at the root), title and description.
type rules struct {
	// keep is the other keywords that are taken, but for those at the root.
	keep map[string]bool
	// root is the keywords that are taken at the root.
	root map[string]bool
	// rootNames is how properties at the root may be called, or nil.
	rootNames *regexp.Regexp
	// formats is the formats that are taken, or nil if they all are.
	formats map[string]bool
	// apart means that anyOf must not have other keywords beside it.
	apart bool
	// plainEnums means that enum is only for text and numbers.
	plainEnums bool

	// strict is for strict mode, in which allRequired means that nothing is optional.
	strict, allRequired bool
	// fewItems means that minItems can only be 0 or 1.
	fewItems bool
	// In strict mode a schema may have so many properties, values of enums, and levels; 0 means any number.
	maxProperties, maxEnum, maxLevels int
	// The names of properties and the values may have so many characters in all, and the values of one enum that has
	// more than manyValues so many; 0 means any number.
	maxChars, maxEnumChars, manyValues int
}

// plainTypes reports whether values are told apart only with their type.
func (r *rules) plainTypes() bool { return r.strict || r.plainEnums }

// set returns a set of the words in some lists.
func set(lists ...string) map[string]bool {
	s := map[string]bool{}
	for _, list := range lists {
		for _, word := range strings.Fields(list) {
			s[word] = true
		}
	}
	return s
}

// everywhere is the keywords that all providers take at the root and elsewhere; Bedrock takes less at the root.
const everywhere = "type properties required title description"

// validation is the keywords that mean the same everywhere in a schema. Those that apply a schema the other way round
// (not, if, contains, unevaluatedProperties) are no provider's: what has been left out of a schema inside of them
// would make them say more.
const validation = `const enum format default examples
	minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern
	minItems maxItems uniqueItems prefixItems
	minProperties maxProperties additionalProperties patternProperties propertyNames dependentRequired`

// claudeNames is for the properties at the root alone; others can have any name.
var claudeNames = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// The rules without strict mode.
var (
	// Any JSON Schema of draft 2020-12 without alternatives at the root.
	//
	// https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools
	claudeRules = &rules{keep: set(validation), root: set(everywhere, validation), rootNames: claudeNames}

	// "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level".
	openAIRules = &rules{keep: set(validation), root: without(set(everywhere, validation), "enum", "const")}

	// What ai.google.dev/api/generate-content lists for responseJsonSchema; the same code reads parametersJsonSchema.
	// Unknown keywords make it refuse the request.
	geminiRules = &rules{
		keep:       set("enum format minimum maximum minItems maxItems prefixItems additionalProperties"),
		root:       set(everywhere, "additionalProperties"),
		formats:    set("date-time date time int32 int64 float double"),
		apart:      true,
		plainEnums: true,
	}

	// Models of Anthropic's need claudeNames; Amazon's take three keywords at the root.
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
	bedrockStrict = &rules{
		keep:       claudeStrict.keep,
		root:       set("type properties required additionalProperties"),
		rootNames:  claudeNames,
		formats:    claudeStrict.formats,
		apart:      true,
		plainEnums: true,
		strict:     true,
		fewItems:   true,
	}
)

func without(s map[string]bool, words ...string) map[string]bool {
	for _, word := range words {
		delete(s, word)
	}
	return s
}

// takesPattern reports whether a regular expression is one that strict mode can have: none that looks around or back.
func takesPattern(pattern string) bool {
	for _, part := range []string{"(?=", "(?!", "(?<", `\b`, `\B`, `\1`, `\2`, `\k`} {
		if strings.Contains(pattern, part) {
			return false
		}
	}
	return true
}
