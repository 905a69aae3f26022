package schema

import (
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// isSimple reports whether a schema certainly compiles: it has nothing but the keywords that most tools use, each with
// a value that draft 2020-12 allows. Such a schema is compiled when an input first needs it, for most tools of a
// process are never called, and most inputs fit their plan.
func isSimple(schema *jsontree.Node) bool {
	if schema.Kind != jsontree.Object {
		return isBool(schema)
	}
	for _, keyword := range schema.Members {
		if !isSimpleKeyword(keyword.Name, keyword.Value) {
			return false
		}
	}
	return true
}

func isSimpleKeyword(name string, value *jsontree.Node) bool {
	switch name {
	case "title", "description", "$comment":
		return isString(value)
	case "default", "const":
		return true
	case "examples", "enum":
		return isArray(value)
	case "deprecated", "readOnly", "writeOnly":
		return isBool(value)
	case "type":
		return isTypeName(value) || isNonEmpty(value) && areDifferent(value) && all(value, isTypeName)
	case "properties", "$defs":
		if value.Kind != jsontree.Object {
			return false
		}
		for _, m := range value.Members {
			if !isSimple(m.Value) {
				return false
			}
		}
		return true
	case "required":
		return isArray(value) && areDifferent(value)
	case "additionalProperties", "items":
		return isSimple(value)
	case "anyOf":
		return isNonEmpty(value) && all(value, isSimple)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return isShortNumber(value) && strings.Trim(value.Text, "0123456789") == ""
	case "minimum", "maximum":
		return isShortNumber(value)
	}
	return false
}

func isString(value *jsontree.Node) bool   { return value.Kind == jsontree.String }
func isArray(value *jsontree.Node) bool    { return value.Kind == jsontree.Array }
func isNonEmpty(value *jsontree.Node) bool { return isArray(value) && len(value.Items) > 0 }
func isBool(value *jsontree.Node) bool     { return value.Is("true") || value.Is("false") }
func isTypeName(value *jsontree.Node) bool {
	return isString(value) && namedType(value.Text) != NoTypes
}

func isShortNumber(value *jsontree.Node) bool {
	_, ok := bound(value)
	return value.Kind == jsontree.Literal && ok
}

func all(list *jsontree.Node, are func(*jsontree.Node) bool) bool {
	for _, value := range list.Items {
		if !are(value) {
			return false
		}
	}
	return true
}

// areDifferent reports whether a list consists of texts, none of them twice.
func areDifferent(list *jsontree.Node) bool {
	seen := map[string]bool{}
	return all(list, func(value *jsontree.Node) bool {
		twice := seen[value.Text]
		seen[value.Text] = true
		return isString(value) && !twice
	})
}
