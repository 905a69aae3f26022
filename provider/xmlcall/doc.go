// Package xmlcall is for models that cannot call tools by themselves: they write calls as XML in their text, and read
// results as XML in the next message.
//
//	definitions, err := tools.Definitions(registry.XML, selection)
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
// there. A tag that stands alone in backquotes is not one: it is a mention. So is a whole call on one line that has a backquote right
// before it and right behind it. What is between <tool_result ...> and </tool_result> is not looked at, since
// models quote results. <tool:NAME/> is a call without arguments, and <param:KEY/> an empty value.
//
// A model that thinks aloud considers calls that it does not make. Parse cannot tell: a host takes the text of thinking, such as
// what is between <think> and </think>, out of the answer first.
//
// What is malformed is not lost: it becomes a [Block], and then a result, that tells the model what is wrong, while the
// other calls of the text are made.
//
// # Values
//
// Only the tags of this format are tags, <tool:NAME>, <param:KEY> and those that close them. Any other < in a value is
// itself, and so is any & that does not begin one of &lt; &gt; &amp; &quot; &apos; &#10; and &#xA;. Code can be written as it
// is. One newline right behind <param:KEY> and one right before </param:KEY> do not belong to the value.
//
// A value may have <![CDATA[ sections ]]>, in which nothing stands for something else. Where a value is one section
// and white space around it, it is what is in the section, again without a newline at either end.
//
// A tag of this format in a value, outside of such a section, is an error, and nothing is called from there to the
// end of the call, or to that of the text if the call has none: what is meant as text must not become a call.
//
// A tag in a result, or what looks like one, has &lt; in place of <, and a reference has &amp; in place of &, so that a model
// can copy any text of a result into a value as it is.
//
// # Deviations
//
// This is not XML, and package encoding/xml could not read it: it refuses "if a < b && c", which models write,
// and it would not find its way from a broken call to the next one. Comments, processing instructions and attributes have no
// meaning.
package xmlcall
