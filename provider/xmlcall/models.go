package xmlcall

import (
	"path"
	"strings"
)

// An Addition is a text for the prompts of some models, for example about their habits.
type Addition struct {
	// Models is a pattern for names of models, as in [path.Match], in lower case. It is matched with the name and with
	// what is behind the last slash in it, as in "anthropic/claude-...".
	Models string
	Text   string
}

// additions are the texts that are known to help. What holds for all models is in the guides.
var additions = []Addition{
	{"*claude*", "Make a call when you need one, instead of saying that you will. " +
		"End your answer right after your calls: do not go on as if you knew their results, and do not guess them."},
	{"*gpt*", functionFormat},
	{"o[1-9]*", functionFormat},
	{"*gemini*", "You do have access to what the tools reach, such as the user's files: call the tools instead " +
		"of saying that you have no access or asking the user to paste something. Do not put calls into code blocks."},
	{"*gemma*", noFences}, {"*llama*", noFences}, {"*mistral*", noFences}, {"*qwen*", noFences},
	{"*deepseek*", noFences},
}

const (
	functionFormat = "The tools are not functions of the API: write calls only in the format above, " +
		"as part of your answer, with all required parameters and with every closing mark. " +
		"Make the calls in the same answer in which you decide on them; do not only announce them."
	noFences = "Write calls exactly in the format above, outside of code blocks, " +
		"with every closing mark, and nothing behind the last one."
)

// ModelAdditions returns the texts for a model, by its name: those that are known to help models of its family, and
// then those of more that match. Use the result as [PromptOptions].Additions, or set [PromptOptions].Model.
func ModelAdditions(model string, more ...Addition) string {
	name := strings.ToLower(model)
	base := name[strings.LastIndexByte(name, '/')+1:]
	var texts []string
	seen := map[string]bool{}
	for _, a := range append(append([]Addition(nil), additions...), more...) {
		whole, err := path.Match(a.Models, name)
		last, _ := path.Match(a.Models, base)
		text := strings.TrimSpace(a.Text)
		if err == nil && (whole || last) && text != "" && !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}
