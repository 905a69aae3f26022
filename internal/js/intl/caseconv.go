package intl

import (
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// The languages whose case conversion differs from that of all others.
var caseLanguages = map[string]language.Tag{
	"tr": language.Turkish, "az": language.Azerbaijani, "lt": language.Lithuanian, "el": language.Greek,
}

// OwnCases reports whether a language has a case conversion of its own.
func OwnCases(tag string) bool {
	_, ok := caseLanguages[languageOf(tag)]
	return ok
}

// ToUpper returns a text in upper case as the language of a tag has it.
func ToUpper(tag, text string) string {
	return cases.Upper(caseLanguages[languageOf(tag)]).String(text)
}

// ToLower returns a text in lower case as the language of a tag has it.
func ToLower(tag, text string) string {
	return cases.Lower(caseLanguages[languageOf(tag)]).String(text)
}
