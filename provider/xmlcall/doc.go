// Package xmlcall is for models without tool calling: they write calls as XML in their text, and read results as
// XML in the next message.
//
//	definitions, err := tools.Definitions(tool.XML, selection)
//	prompt := xmlcall.Prompt(definitions, nil) // part of the system prompt
//	...
//	calls := xmlcall.Calls(definitions, answer) // what the model has written
//	results := xmlcall.Dispatch(ctx, tools, calls, env)
//	message := xmlcall.Results(results) // the next message of the user
//
// # Calls
//
//	<tool:read_files>
//	<param:path>/notes.txt</param:path>
//	<param:path>/todo.txt</param:path>
//	</tool:read_files>
//
// [Parse] finds such calls anywhere in a text: between prose and in code fences too, because many models put them
// there. It ignores tags that are only mentioned: a single tag in backquotes, and a whole call on one line between
// backquotes. It also ignores everything between <tool_result ...> and </tool_result>, because models quote
// results. <tool:NAME/> is a call without arguments, and <param:KEY/> an empty value.
//
// A model that thinks aloud considers calls that it does not make. Parse cannot recognise them: remove the text of
// thinking, such as everything between <think> and </think>, first.
//
// A malformed call becomes a [Block], and then a result, that tells the model what is wrong. The other calls of the
// text are made.
//
// # Other forms
//
// Some models write calls better in another form, a [Dialect]: set it in the options of Prompt, and read answers with
// [Dialect.Calls] or a [Stream], which gives each call as soon as it is complete. [Text] is an answer without its
// calls. [ModelAdditions] has texts for models by their names.
//
// # Values
//
// Only the tags of this format are tags: <tool:NAME>, <param:KEY> and their closing tags. Any other < in a value is
// itself, and so is any & that does not begin one of &lt; &gt; &amp; &quot; &apos; &#10; and &#xA;. So models can
// write code without escaping. A newline directly after <param:KEY> or before </param:KEY> is not part of the
// value.
//
// A value may contain <![CDATA[ sections ]]>, in which nothing is escaped. A value that is one section surrounded
// by white space is the section's content, again without a newline at either end.
//
// A tag of this format in a value, outside such a section, is an error. Nothing is called from there to the end of
// the call, or of the text if the call has no end: text must not become a call.
//
// In a result, < becomes &lt; in a tag or anything that looks like one, and & becomes &amp; in a reference. A model
// can therefore copy any text of a result into a value.
//
// # Deviations
//
// This is not XML, and package encoding/xml could not read it: encoding/xml refuses "if a < b && c", which models
// write, and does not continue after a broken call. Comments, processing instructions and attributes have no
// meaning.
//
// # Experimental
//
// For programs that use models without tool calling. The Go API may change with any version.
package xmlcall
