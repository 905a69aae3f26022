package toolrun_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/mailtest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/python"
	"github.com/toolrun/toolrun/vfs/local"
)

func TestPythonWaitsAndGoesOn(t *testing.T) {
	file := os.Getenv("TOOLRUN_PYTHON")
	if file == "" {
		t.Skip("TOOLRUN_PYTHON does not name a build of CPython")
	}
	module, err := os.ReadFile(file)
	require.NoError(t, err)
	store := local.NewMemoryStore(nil)
	m := &mailtest.Mail{}
	language := python.Language
	language.Build = func() (script.Module, error) { return script.FromBytes(module), nil }
	process := func(name string) *toolrun.Session {
		runner := open(t, toolrun.Options{
			Store: store, Tools: m.Tools(), Languages: []code.Language{javascript.Language, language},
		})
		session, err := runner.Session(t.Context(), "p", &toolrun.SessionOptions{Chat: "c",
			Select: func(s registry.Selection) registry.Selection {
				s.Ask, s.Session = []string{"send"}, name
				return s.WithOption(python.Name, code.OptionToolCalls, true)
			}})
		require.NoError(t, err)
		return session
	}
	const code = `
import asyncio
seen = [tools.look(to='a')]
open('/log', 'a').write('before ')
print('before')
sent = await asyncio.gather(tools.send(to='x'), tools.send(to='y'), return_exceptions=True)
open('/log', 'a').write('after')
seen + [str(s) for s in sent] + [tools.look(to='b')]`
	for _, c := range []struct{ session, log string }{{"", "created"}, {"main", "changed"}} {
		m.Sent, m.Looked = nil, 0
		result := mailtest.Ask(t, process(c.session), "python", mailtest.Code(code))
		require.Equal(t, tool.CodePending, result.Code, result.Text())
		require.Contains(t, result.Text(), "its calls of send wait for the approval of a person")
		token := result.Pending.Token
		ids := idsOf(t, runsOf(t, store), token)
		require.Len(t, ids, 2)
		decisions := mailtest.Approve(ids[0])
		decisions[ids[1]] = registry.Decision{Reason: "no", By: "ada"}
		result, err = process(c.session).Resume(t.Context(), token, decisions)
		require.NoError(t, err)
		require.Equal(t, "before\n=== Result ===\n['looked at a 1', 'sent to x',\n 'A person has refused the call of "+
			"send: no. Do not repeat it as it was.', 'looked at b 2']\n"+
			"Tool calls: look 2, send 2 (1 failed)\nFiles: "+c.log+" /log", result.Text())
		require.Equal(t, []string{"x"}, m.Sent)
	}
	result := mailtest.Ask(t, process("main"), "python", mailtest.Code("len(seen), 'seen' in globals()"))
	require.Equal(t, "(1, True)", result.Text())

	// Code that it calls has no session: it begins anew, and does not wait for the one that its caller has.
	require.Equal(t, "undefined", mailtest.Ask(t, process("main"), "javascript", mailtest.Code("let n = 1")).Text())
	result = mailtest.Ask(t, process("main"), "python", mailtest.Code("tools.javascript(code='globalThis.m = 1; "+
		"return typeof n')"))
	require.Contains(t, result.Text(), "undefined")
	require.Equal(t, "undefined1", mailtest.Ask(t, process("main"), "javascript",
		mailtest.Code("return typeof m + n")).Text())
}
