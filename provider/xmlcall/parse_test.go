package xmlcall_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider/xmlcall"
)

// TestParseValues has one call each, and the params that must come out.
func TestParseValues(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []xmlcall.Param
	}{
		{"a value on one line is as it is, spaces too", "<tool:a><param:x> 1 </param:x></tool:a>", []xmlcall.Param{{"x",
			" 1 "}}},
		{"params keep their order, and can be repeated",
			"<tool:a>\n<param:y>1</param:y>\n <param:x>2</param:x><param:y>3</param:y>\n</tool:a>",
			[]xmlcall.Param{{"y", "1"}, {"x", "2"}, {"y", "3"}}},
		{"one newline at either end is dropped", "<tool:a><param:x>\n\n  a\nb\n\n</param:x></tool:a>",
			[]xmlcall.Param{{"x", "\n  a\nb\n"}}},
		{"so is one of Windows", "<tool:a>\r\n<param:x>\r\na\r\nb\r\n</param:x>\r\n</tool:a>", []xmlcall.Param{{"x",
			"a\r\nb"}}},
		{"a newline alone is dropped once", "<tool:a><param:x>\n</param:x></tool:a>", []xmlcall.Param{{"x", ""}}},
		{"newlines that are written as references stay", "<tool:a><param:x>&#10;a&#xA;</param:x></tool:a>",
			[]xmlcall.Param{{"x", "\na\n"}}},
		{"references stand for characters",
			"<tool:a><param:x>&lt;b&gt; &amp;lt; &quot;&apos; &#233; &#x1F600;</param:x></tool:a>",
			[]xmlcall.Param{{"x", "<b> &lt; \"' é 😀"}}},
		{"what is no reference is itself",
			"<tool:a><param:x>a && b &nbsp; &#0; &#xD800; &#1114112; &#; &lt</param:x></tool:a>",
			[]xmlcall.Param{{"x", "a && b &nbsp; &#0; &#xD800; &#1114112; &#; &lt"}}},
		{"code needs no escaping", "<tool:a><param:x>\nif (a < b && c > d) { x = <div>{list<int>}</div> " +
			"}\n</param:x></tool:a>",
			[]xmlcall.Param{{"x", "if (a < b && c > d) { x = <div>{list<int>}</div> }"}}},
		{"what only looks like a tag is text",
			"<tool:a><param:x>a<tool::b> <param:y && <tools:x> </tool> <param></param:x></tool:a>",
			[]xmlcall.Param{{"x", "a<tool::b> <param:y && <tools:x> </tool> <param>"}}},
		{"nothing has a meaning in a section",
			"<tool:a><param:x><![CDATA[</param:x></tool:a>&lt;]]></param:x></tool:a>",
			[]xmlcall.Param{{"x", "</param:x></tool:a>&lt;"}}},
		{"newlines around a section are dropped, inside too",
			"<tool:a><param:x>\n<![CDATA[\n\ncode\n]]>\n</param:x></tool:a>",
			[]xmlcall.Param{{"x", "\ncode"}}},
		{"a section in text is as it is", "<tool:a><param:x>\n1 &lt; <![CDATA[\n2 &lt;\n]]> 3\n</param:x></tool:a>",
			[]xmlcall.Param{{"x", "1 < \n2 &lt;\n 3"}}},
		{"two sections are joined", "<tool:a><param:x><![CDATA[a]]]]><![CDATA[>b]]></param:x></tool:a>",
			[]xmlcall.Param{{"x", "a]]>b"}}},
		{"a param can be empty in two ways", "<tool:a><param:x></param:x><param:y/></tool:a>",
			[]xmlcall.Param{{"x", ""}, {"y", ""}}},
		{"white space in tags does not matter", "<tool:a >\n<param:x\n>1</param:x ></tool:a >", []xmlcall.Param{{"x",
			"1"}}},
		{"keys can have any character",
			"<tool:a><param:a:b>1</param:a:b><param:a&#32;b>2</param:a&#32;b><param:größe>3</param:größe></tool:a>",
			[]xmlcall.Param{{"a:b", "1"}, {"a b", "2"}, {"größe", "3"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, around := range []string{"", "Let me see < & `<tool:x>`.\n```xml\n"} {
				blocks := xmlcall.Parse(around + test.text + around)
				require.Len(t, blocks, 1)
				b := blocks[0]
				require.NoError(t, b.Err)
				require.Equal(t, "a", b.Tool)
				require.Equal(t, test.want, b.Params)
				require.Equal(t, test.text, (around + test.text + around)[b.Start:b.End])
				require.False(t, b.Truncated)
			}
		})
	}
}

// TestParse has texts, and each block of them: what is written there, or what is wrong with it.
func TestParse(t *testing.T) {
	const good = "<tool:b>\n<param:x>2</param:x>\n</tool:b>"
	for _, test := range []struct {
		name, text string
		want       []string // the block, or its beginning and what is wrong
	}{
		{"prose has no calls", "I call tool:a with <b>care</b> & <param>", nil},
		{"tags in backquotes are mentions", "Between `<tool:a>` and `</tool:a>`, `<param:x>`.", nil},
		{"calls in backquotes are mentions",
			"`<tool:a></tool:a>`, `<tool:a/>` and `<tool:a><param:x>1</param:x></tool:a>`." + good, []string{good}},
		{"but not on several lines", "`" + good + "`", []string{good}},
		{"nor with anything between", "` <tool:a/>` `<tool:a/> ` `<tool:a/>" + good + "`", []string{"<tool:a/>",
			"<tool:a/>", "<tool:a/>", good}},
		{"nor in a fence", "```xml\n<tool:a/>\n```\n" + good, []string{"<tool:a/>", good}},
		{"what may become a mention", "I call `<tool:a/>", []string{"<tool:a/>: there is a backquote before <tool:a>"}},
		{"what is wrong in backquotes", "`<tool:a>1</tool:a>`", []string{"<tool:a>1</tool:a>: text outside of its " +
			"params"}},
		{"results are quotes", "It said <tool_result call=\"1\" tool=\"a\">\n" + good + "</tool:a>\n</tool_result>" +
			good + "<tool_result>" + good + "</tool_result>", []string{good}},
		{"results are quotes in calls too", "<tool:a><tool_result>" + good + "</tool_result></tool:a>" + good,
			[]string{"<tool:a><tool_result>" + good + "</tool_result></tool:a>: text outside of its params", good}},
		{"results behind params that are outside of a call", "<param:x>1</param:x> <tool_result>" + good +
			"</tool_result>" + good,
			[]string{"<param:x>1</param:x>: <param:x> is outside of a call", good}},
		{"a result in a value is text", "<tool:b>\n<param:x>2<tool_result></param:x>\n</tool:b>" + good,
			[]string{"<tool:b>\n<param:x>2<tool_result></param:x>\n</tool:b>", good}},
		{"a result that is mentioned", "In `<tool_result>` and `<tool_result call=\"1\">` I see " + good,
			[]string{good}},
		{"what is no result", "<tool_results> <tool_result <b> </tool_result> " + good, []string{good}},
		{"a result without its end", good + "<tool_result call=\"2\">" + good,
			[]string{good, "<tool_result call=\"2\">" + good + ": there is <tool_result> without </tool_result> " +
				"behind it"}},
		{"a result without its end, and nothing in it", good + "<tool_result call=\"2\">42", []string{good}},
		{"a result without its end in a call", "<tool:a><tool_result>" + good, []string{"<tool:a><tool_result>" + good +
			": <tool:a> is not closed"}},
		{"a result without its end behind a param", "<param:x>1</param:x><tool_result>" + good,
			[]string{"<param:x>1</param:x>: <param:x> is outside of a call", "<tool_result>" + good +
				": there is <tool_result> without"}},
		{"calls are found between prose", "First\n" + good + "\nthen " + good + ".", []string{good, good}},
		{"a section in prose hides nothing", "I write <![CDATA[ now: " + good + " ]]>", []string{good}},
		{"a call without its end", "<tool:a><param:x>1</param:x>\n",
			[]string{"<tool:a>: <tool:a> is not closed: </tool:a> must follow behind the last param"}},
		{"a call without its end, and another one", "<tool:a><param:x>1</param:x>\n" + good,
			[]string{"<tool:a>: <tool:a> is not closed before <tool:b> begins", good}},
		{"a call in a call", "<tool:a>" + good + "</tool:a>" + good,
			[]string{"<tool:a>: <tool:a> is not closed before <tool:b> begins", good, good}},
		{"a param without its end", "<tool:a><param:x>1</tool:a>" + good,
			[]string{"<tool:a><param:x>1</tool:a>: <param:x> in <tool:a> is not closed before </tool:a>", good}},
		{"a param without its end before another one", "<tool:a><param:x>1<param:y>2</param:y></tool:a>" + good,
			[]string{"<tool:a><param:x>1<param:y>2</param:y></tool:a>: <param:x> in <tool:a> is not closed before " +
				"<param:y>", good}},
		{"a param that the text ends in", "<tool:a><param:x>1 " + "\n",
			[]string{"<tool:a><param:x>1: <param:x> in <tool:a> is not closed: </param:x> must"}},
		{"a param with the end of another one", "<tool:a><param:x>1</param:y></tool:a>" + good,
			[]string{"<tool:a><param:x>1</param:y></tool:a>: <param:x> in <tool:a> is closed by </param:y>", good}},
		{"a call with the end of another one", "<tool:a><param:x>1</param:x></tool:c>" + good,
			[]string{"<tool:a><param:x>1</param:x></tool:c>: <tool:a> is closed by </tool:c>", good}},
		{"a call with two ends", "<tool:a></tool:c></tool:a>" + good,
			[]string{"<tool:a></tool:c>: <tool:a> is closed by </tool:c>", good}},
		{"a call in a value is not made", "<tool:a><param:x>see <tool:b/> " + good + "</param:x></tool:a>" + good,
			[]string{"<tool:a><param:x>see <tool:b/> " + good + "</param:x></tool:a>: <param:x> in <tool:a> is not " +
				"closed before <tool:b>", good}},
		{"nor one of the same tool", "<tool:a><param:x>see <tool:a></tool:a></param:x></tool:a>" + good,
			[]string{"<tool:a><param:x>see <tool:a></tool:a></param:x></tool:a>: <param:x> in <tool:a> is not closed " +
				"before <tool:a>", good}},
		{"nor one behind a value that has no end", "<tool:a><param:x>see\n" + good,
			[]string{"<tool:a><param:x>see\n" + good + ": everything behind <tool:a> has been left out"}},
		{"nor one in a section in the wrong place", "<tool:a><![CDATA[" + good + "]]></tool:a>" + good,
			[]string{"<tool:a><![CDATA[" + good + "]]></tool:a>: in <tool:a> there is text outside of its params",
				good}},
		{"text between params", "<tool:a>\nwith <param:x>1</param:x></tool:a>" + good,
			[]string{"<tool:a>\nwith <param:x>1</param:x></tool:a>: in <tool:a> there is text outside of its params: " +
				"\"with\"", good}},
		{"text instead of params", "<tool:a>{\"x\":1}</tool:a>", []string{"<tool:a>{\"x\":1}</tool:a>: text outside " +
			"of its params"}},
		{"an end of a param without its beginning", "<tool:a>1</param:x></tool:a>" + good,
			[]string{"<tool:a>1</param:x></tool:a>: text outside of its params", good}},
		{"an end of a param too many", "<tool:a><param:x>1</param:x></param:x></tool:a>",
			[]string{"<tool:a>: in <tool:a> there is </param:x> without <param:x> before it"}},
		{"attributes", `<tool:a x="1"></tool:a>` + good,
			[]string{`<tool:a x="1"></tool:a>: the tag <tool:a> is malformed: only a name can be in it`, good}},
		{"attributes of a param", `<tool:a><param:x type="int">1</param:x></tool:a>` + good,
			[]string{`<tool:a><param:x type="int">1</param:x></tool:a>: the tag <param:x> is malformed: only a name`,
				good}},
		{"a tag that is not complete", "<tool:a\n<param:x>1</param:x></tool:a>" + good,
			[]string{"<tool:a: the tag <tool:a> is malformed: its > is missing", good}},
		{"an end that is not complete", "<tool:a></tool:a\n" + good,
			[]string{"<tool:a></tool:a: the tag </tool:a> is malformed: its > is missing", good}},
		{"an end of a param that is not complete", "<tool:a><param:x>1</param:x</tool:a>" + good,
			[]string{"<tool:a>: <param:x> in <tool:a> is not closed before </tool:a>", good}},
		{"a text that ends in a tag", "<tool:a></tool:", []string{"<tool:a></tool:: <tool:a> is not closed"}},
		{"a section without its end", "<tool:a><param:x><![CDATA[1</param:x></tool:a>" + good,
			[]string{"<tool:a><param:x><![CDATA[1</param:x></tool:a>: in <param:x> of <tool:a> there is <![CDATA[ " +
				"without ]]>", good}},
		{"params outside of a call are one block", "<param:x>1</param:x>\n<param:y/> </tool:a> " + good,
			[]string{"<param:x>1</param:x>\n<param:y/> </tool:a>: <param:x> is outside of a call", good}},
		{"params outside of a call can have calls as text", "<param:x>" + good + "</param:x>" + good,
			[]string{"<param:x>" + good + "</param:x>: <param:x> is outside of a call", good}},
		{"a param outside of a call without its end", "<param:x>1\n" + good,
			[]string{"<param:x>: <param:x> is outside of a call", good}},
		{"a section behind a param that has no end",
			"<param:q>\n<tool:a><param:x><![CDATA[1]]></param:x></tool:a> <param:z><![CDATA[",
			[]string{"<param:q>: <param:q> is outside of a call", "<tool:a><param:x><![CDATA[1]]></param:x></tool:a>",
				"<param:z>: <param:z> is outside of a call"}},
		{"an end too many", "<tool:a>" + good + "</tool:a></tool:a>" + good,
			[]string{"<tool:a>: <tool:a> is not closed before <tool:b> begins", good,
				"</tool:a>: there is </tool:a> without <tool:a> before it", good}},
		{"ends without beginnings", "</param:x> and </tool:a>" + good,
			[]string{"</param:x>: there is </param:x> outside of a call",
				"</tool:a>: there is </tool:a> without <tool:a> before it", good}},
	} {
		t.Run(test.name, func(t *testing.T) {
			blocks := xmlcall.Parse(test.text)
			var got []string
			for i, b := range blocks {
				written := test.text[b.Start:b.End]
				got = append(got, written)
				if b.Err == nil || i >= len(test.want) {
					continue
				}
				require.True(t, strings.HasPrefix(b.Err.Error(), "invalid tool call: "), b.Err)
				begin, message, _ := strings.Cut(test.want[i], ": ")
				require.True(t, strings.HasPrefix(written, begin), "%q", written)
				require.Contains(t, b.Err.Error(), message)
				got[i] = test.want[i]
			}
			require.Equal(t, test.want, got)
		})
	}
}

func TestBlocksAreLimited(t *testing.T) {
	for _, piece := range []string{"<tool:a/>", "<tool:a>", "</tool:a>.", "</param:x>."} {
		blocks := xmlcall.Parse(strings.Repeat(piece, xmlcall.MaxBlocks))
		require.Len(t, blocks, xmlcall.MaxBlocks)

		text := strings.Repeat(piece, 100_000)
		blocks = xmlcall.Parse(text)
		require.Len(t, blocks, xmlcall.MaxBlocks+1)
		last := blocks[xmlcall.MaxBlocks]
		require.EqualError(t, last.Err, "invalid tool call: there are more than 1000 calls in one answer. Those "+
			"behind the first 1000 have been left out")
		require.Equal(t, xmlcall.MaxBlocks*len(piece), last.Start)
		require.Equal(t, len(text), last.End)
		require.False(t, last.Truncated)
	}
}

func TestTruncatedIsWhatTheTextEndsIn(t *testing.T) {
	const text = "Hi.\n<tool:a>\n<param:x>\n<![CDATA[1]]></param:x>\n</tool:a>"
	for n := range len(text) {
		blocks := xmlcall.Parse(text[:n])
		if n <= len("Hi.\n<tool:") {
			require.Empty(t, blocks, n)
			continue
		}
		require.Len(t, blocks, 1, n)
		require.Error(t, blocks[0].Err)
		require.True(t, blocks[0].Truncated, "%q", text[:n])
	}
	require.False(t, xmlcall.Parse(text)[0].Truncated)
}

// pieces are what texts are made of that are hard to parse.
var pieces = []string{
	"<tool:a>", "</tool:a>", "<tool:b>", "</tool:b>", "<tool:a/>", "<param:x>", "</param:x>", "<param:y>", "</param:y>",
	"<param:x/>",
	"<![CDATA[", "]]>", "<", ">", "/", "&", "&lt;", "&amp;", "amp;", "#10;", "&#x", "\n", "\r\n", "\r", " ", "`", "\"",
	"]]", "<tool:a", "<tool:",
	"<param:y ", "</", "tool_result>", "<TOOL:a>", "word", "é", "\x80", "<tool:a x='1'>",
}

func randomText(random *rand.Rand, most int) string {
	var b strings.Builder
	for range random.IntN(most) {
		b.WriteString(pieces[random.IntN(len(pieces))])
	}
	return b.String()
}

func TestWhatIsWrittenIsParsedAgain(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	keys := []string{"x", "paths", "a b", "a:b", ":a", "a&lt;b", "größe", "<", "a/b", "$id", "@type", "`"}
	for range 5000 {
		want := xmlcall.Block{Tool: []string{"a", "b", "read_files"}[random.IntN(3)]}
		for range random.IntN(4) {
			want.Params = append(want.Params, xmlcall.Param{Key: keys[random.IntN(len(keys))],
				Value: randomText(random, 8)})
		}
		text := want.String()
		blocks := xmlcall.Parse("Now:\n" + text + "\n" + text)
		require.Len(t, blocks, 2, "%s", text)
		for _, got := range blocks {
			require.NoError(t, got.Err, "%s", text)
			require.Equal(t, want.Tool, got.Tool)
			require.Equal(t, want.Params, got.Params, "%s", text)
			require.Equal(t, want.Values(), got.Values())
		}
	}
}

func TestWellFormedCallsStayWhenMoreTextComes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		text := randomText(random, 12)
		before := xmlcall.Parse(text)
		after := xmlcall.Parse(text + randomText(random, 12))
		for i, b := range before {
			if b.Err != nil {
				break
			}
			require.Equal(t, b, after[i], "%q", text)
		}
	}
}

// TestParseTakesTimeInProportionToTheText has texts that would take minutes if time grew with the square of their
// length. BenchmarkParse shows how it grows.
func TestParseTakesTimeInProportionToTheText(t *testing.T) {
	const size = 256 << 10
	for _, piece := range []string{
		"<", "<tool:", "<tool:a", "<tool:a ", "<tool:a>", "</tool:a>", "<param:x>", "<tool:a><param:x>",
		"<tool:a><param:x></tool:a>", "<![CDATA[",
		"<tool:a><param:x><![CDATA[</tool:a>", "<tool:a><param:x><![CDATA[]]>", "<param:%d>", "<tool:%d><param:%[1]d>",
		"</tool:%d>", "<tool:%d>", "&",
		"&#0", "`<tool:a>`", "`<tool:a/>`", "<tool_result", "<tool_result>", "</tool_result>", "`<tool_result>`",
		"<tool_result></tool_result>", "<param:x/><tool_result></tool_result>", "</tool_result><tool_result>",
		"</param:q>", "]]>", "<tool:a><param:x>&amp;&lt</param:x></tool:a>", "<param:x><![CDATA[</param:x>",
	} {
		for _, before := range []string{"", "<tool_result>", "<tool:q>", "<tool:q><param:q>",
			"<tool:q><param:q><![CDATA[", "<param:q>"} {
			var text strings.Builder
			text.WriteString(before)
			for i := 0; text.Len() < size; i++ {
				if strings.Contains(piece, "%") {
					fmt.Fprintf(&text, piece, i)
				} else {
					text.WriteString(piece)
				}
			}
			text.WriteString("</param:q></tool:q>")
			require.LessOrEqual(t, len(xmlcall.Parse(text.String())), xmlcall.MaxBlocks+1, "%q and many %q",
				before, piece)
		}
	}
}
