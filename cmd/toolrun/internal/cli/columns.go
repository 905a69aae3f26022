package cli

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"

	"github.com/toolrun/toolrun/registry"
)

// firstLine matches a line of a stack trace with a position in the first line of code that has no file.
var firstLine = regexp.MustCompile(`(?m)^(    at (?:.* \()?script\.js:1:)(\d+)(\)?)$`)

// withoutPrefix returns the result of code that has failed with the columns of its first line as the user counts them,
// who has not written the prefix.
func withoutPrefix(result registry.Result, prefix int) registry.Result {
	column := func(n int) int { return max(1, n-prefix) }
	shift := func(text string) string {
		return firstLine.ReplaceAllStringFunc(text, func(line string) string {
			parts := firstLine.FindStringSubmatch(line)
			n, err := strconv.Atoi(parts[2])
			if err != nil {
				return line
			}
			return parts[1] + strconv.Itoa(column(n)) + parts[3]
		})
	}
	result.Content = slices.Clone(result.Content)
	for i := range result.Content {
		result.Content[i].Text = shift(result.Content[i].Text)
	}
	raw, _ := result.Data.(json.RawMessage)
	var data, failure map[string]json.RawMessage
	if json.Unmarshal(raw, &data) != nil || json.Unmarshal(data["error"], &failure) != nil {
		return result
	}
	var message string
	if json.Unmarshal(failure["message"], &message) == nil {
		failure["message"], _ = json.Marshal(shift(message))
	}
	if n, err := strconv.Atoi(string(failure["column"])); err == nil && string(failure["line"]) == "1" {
		failure["column"] = json.RawMessage(strconv.Itoa(column(n)))
	}
	data["error"], _ = json.Marshal(failure)
	raw, _ = json.Marshal(data) // it was JSON before
	result.Data = json.RawMessage(raw)
	return result
}
