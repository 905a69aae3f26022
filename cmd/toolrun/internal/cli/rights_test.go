package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/internal/test/toolruntest"
)

// pageOperations are the operations of the page's API, with what each needs, and whether it is for all projects. A new
// one is refused by this test until it is here. In Go, operations need the same: see TestRights of internal/service.
// Commands are in commandOperations.
var pageOperations = map[string]struct {
	needs service.Right
	ofAll bool
}{
	"GET /api/openapi.json": {ofAll: true}, "GET /api/about": {ofAll: true}, "POST /api/login": {ofAll: true},
	"POST /api/logout":  {ofAll: true},
	"GET /api/projects": {service.Run, true}, "GET /api/projects/one": {needs: service.Run},
	"POST /api/projects":         {needs: service.Write},
	"POST /api/projects/delete":  {needs: service.Operate},
	"GET /api/projects/deleted":  {service.Operate, true},
	"POST /api/projects/restore": {needs: service.Operate},
	"GET /api/projects/export":   {needs: service.Read | service.Write},
	"GET /api/files":             {needs: service.Read}, "GET /api/files/text": {needs: service.Read},
	"GET /api/files/content": {needs: service.Read}, "GET /api/files/search": {needs: service.Read},
	"POST /api/files/save": {needs: service.Write}, "POST /api/files/upload": {needs: service.Write},
	"POST /api/files/folder": {needs: service.Write}, "POST /api/files/move": {needs: service.Write},
	"POST /api/files/copy":          {needs: service.Write},
	"GET /api/layer":                {needs: service.Read | service.Write},
	"POST /api/layer/apply":         {needs: service.Write},
	"POST /api/layer/discard":       {needs: service.Write},
	"POST /api/projects/import":     {needs: service.Write},
	"GET /api/history/compare":      {needs: service.Read | service.Write},
	"POST /api/files/delete":        {needs: service.Write},
	"GET /api/history":              {needs: service.Read | service.Write},
	"GET /api/history/diff":         {needs: service.Read | service.Write},
	"POST /api/history/restore":     {needs: service.Write},
	"GET /api/history/undo":         {needs: service.Write},
	"POST /api/history/undo":        {needs: service.Write},
	"POST /api/history/redo":        {needs: service.Write},
	"GET /api/tools":                {needs: service.Run},
	"GET /api/tools/definitions":    {needs: service.Run},
	"GET /api/servers":              {service.Operate, true},
	"GET /api/modules":              {service.Operate, true},
	"GET /api/calls":                {needs: service.Run},
	"POST /api/calls":               {needs: service.Run},
	"GET /api/calls/one":            {needs: service.Run},
	"POST /api/calls/stop":          {needs: service.Run},
	"GET /api/calls/output":         {needs: service.Run},
	"GET /api/calls/picture":        {needs: service.Run},
	"GET /api/events":               {needs: service.Run},
	"GET /api/approvals":            {needs: service.Decide},
	"GET /api/approvals/loss":       {needs: service.Read | service.Decide},
	"POST /api/approvals":           {needs: service.Decide},
	"GET /api/checkpoints":          {needs: service.Write},
	"POST /api/history/purge":       {needs: service.Operate},
	"POST /api/history/compact":     {needs: service.Operate},
	"POST /api/checkpoints":         {needs: service.Write},
	"GET /api/checkpoints/changes":  {needs: service.Read | service.Write},
	"POST /api/checkpoints/restore": {needs: service.Write},
	"POST /api/checkpoints/delete":  {needs: service.Write},
	"GET /api/sessions":             {needs: service.Write},
	"GET /api/sessions/one":         {needs: service.Run | service.Read | service.Write},
	"POST /api/sessions/fork":       {needs: service.Write},
	"POST /api/sessions/delete":     {needs: service.Write},
	"GET /api/settings":             {needs: service.Settings},
	"POST /api/settings":            {needs: service.Settings},
}

// commandOperations are the commands that do an operation of the page, or say why there is none, in an order in which
// all of them work on a project that has one file. P is the project. Whoever runs commands is an operator: they have no
// tokens, and can do all that is done here on any project.
var commandOperations = []struct{ operation, command string }{
	{"POST /api/projects", "files --project P put new.txt"}, // a project is made when it is used first
	{"GET /api/projects", "project list"},
	{"GET /api/projects/one", "project --project P show"},
	{"GET /api/files", "files --project P ls /"},
	{"GET /api/files/text", "files --project P cat /new.txt"},
	{"GET /api/files/content", "files --project P get /new.txt P.txt"},
	{"GET /api/files/search", "files --project P grep P"},
	{"POST /api/files/save", "files --project P put new.txt"},
	{"POST /api/files/upload", "files --project P put new.txt /uploaded.txt"},
	{"POST /api/files/folder", "files --project P mkdir /dir"},
	{"POST /api/files/move", "files --project P mv /uploaded.txt /dir/moved.txt"},
	{"POST /api/files/copy", "files --project P cp /dir /copy"},
	{"POST /api/files/delete", "files --project P rm -r /copy"},
	{"GET /api/projects/export", "files --project P export P.zip"},
	{"POST /api/projects/import", "files --project P import P.zip"},
	{"GET /api/history", "files --project P history"},
	{"GET /api/history/diff", "files --project P diff /new.txt 1"},
	{"GET /api/history/compare", "files --project P diff /new.txt"},
	{"GET /api/layer", "no project of a store has a layer"},
	{"POST /api/layer/apply", "no project of a store has a layer"},
	{"POST /api/layer/discard", "no project of a store has a layer"},
	{"POST /api/calls", `call memory --project P {"command":"create","path":"/memories/a","file_text":"P"}`},
	{"GET /api/history/undo", "no command says what undoing would do"},
	{"POST /api/history/undo", "files --project P undo"},
	{"POST /api/history/redo", "files --project P redo"},
	{"POST /api/history/restore", "files --project P restore 2 --to /back.txt"},
	{"POST /api/history/purge", "files --project P purge /dir --remove --yes"},
	{"POST /api/history/compact", "project --project P compact"},
	{"GET /api/calls", "calls --project P list"},
	{"GET /api/calls/one", "calls --project P list --json"},
	{"POST /api/calls/stop", "calls --project P stop none"},
	{"GET /api/calls/output", "no command follows a call of others"},
	{"GET /api/calls/picture", "no command shows pictures of results"},
	{"GET /api/events", "no command follows a project"},
	{"GET /api/approvals", "approvals --project P list"},
	{"GET /api/approvals/loss", "approvals --project P show none"},
	{"POST /api/approvals", "approvals --project P approve none"},
	{"POST /api/checkpoints", "checkpoint --project P create one"},
	{"GET /api/checkpoints", "checkpoint --project P list"},
	{"GET /api/checkpoints/changes", "checkpoint --project P restore one --dry-run"},
	{"POST /api/checkpoints/restore", "checkpoint --project P restore one"},
	{"POST /api/checkpoints/delete", "checkpoint --project P delete one"},
	{"GET /api/sessions", "session --project P list"},
	{"GET /api/sessions/one", "session --project P show none"},
	{"POST /api/sessions/fork", "session --project P fork none copy"},
	{"POST /api/sessions/delete", "session --project P delete none"},
	{"POST /api/settings", "project --project P set --enable javascript"},
	{"GET /api/settings", "project --project P show --json"},
	{"GET /api/tools", "tools --project P"},
	{"GET /api/tools/definitions", "defs --project P --api mcp"},
	{"GET /api/servers", "tools --project P --json"},
	{"GET /api/modules", "module list"},
	{"POST /api/projects/delete", "project delete P --yes"},
	{"GET /api/projects/deleted", "project list --deleted"},
	{"POST /api/projects/restore", "project restore P"},
	{"GET /api/openapi.json", "no command describes the API of the page"},
	{"GET /api/about", "version"},
	{"POST /api/login", "no command has logins"}, {"POST /api/logout", "no command has logins"},
}

// TestRightsOfCommands has whoever runs commands do each operation, in two projects: all work, or find that there is no
// such call or session, and none says anything of the other project. What reads makes no project that there is not.
func TestRightsOfCommands(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	command := func(text, project string) (out string, status int) {
		host := newHost(t, "TOOLRUN_DATA="+data)
		host.Dir = dir
		args := strings.Fields(text)
		for i, arg := range args {
			args[i] = strings.ReplaceAll(arg, "P", project)
		}
		out, errs, status := run(t, host, args...)
		return out + errs, status
	}
	found := map[string]bool{}
	for _, o := range commandOperations {
		require.Contains(t, pageOperations, o.operation)
		require.False(t, found[o.operation], "%s is there twice", o.operation)
		found[o.operation] = true
		if strings.HasPrefix(o.command, "no ") {
			continue
		}
		if strings.HasPrefix(o.operation, "GET") && strings.Contains(o.command, "P") {
			text, status := command(o.command, "missing")
			if !strings.HasPrefix(o.command, "calls ") && !strings.HasPrefix(o.command, "approvals ") { // none there
				require.Equal(t, 2, status, text)
				require.Contains(t, text, "no project named missing")
			}
			require.NoDirExists(t, filepath.Join(data, "projects", "missing"), o.command)
		}
		for project, other := range map[string]string{"alpha": "omega", "omega": "alpha"} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "new.txt"), []byte(project+"\n"), 0o600))
			text, status := command(o.command, project)
			if strings.Contains(o.command, " none") {
				require.Regexp(t, "no call|no session", text, o.command)
			} else {
				require.Zero(t, status, "%s: %s", o.command, text)
			}
			if strings.Contains(o.command, "P") {
				require.NotContains(t, text, other, o.command)
			}
		}
	}
	require.Len(t, found, len(pageOperations), "say which command does it, or why there is none")
}

// A pageOperation is what the description of the API says of one.
type pageOperation struct {
	Parameters  []struct{ Name string }
	RequestBody struct {
		Content map[string]struct {
			Schema struct{ Properties map[string]struct{} }
		}
	}
}

// described are the operations that a page's API describes, by method and path.
func described(h tokenHolder) map[string]pageOperation {
	var description struct {
		Paths map[string]map[string]pageOperation
	}
	_, text := h.do("GET", "/api/openapi.json", nil)
	require.NoError(h.t, json.Unmarshal([]byte(text), &description))
	operations := map[string]pageOperation{}
	for path, methods := range description.Paths {
		for method, o := range methods {
			if path != "/api/links" { // which are for those who came by one
				operations[strings.ToUpper(method)+" "+path] = o
			}
		}
	}
	require.Len(h.t, operations, len(pageOperations))
	return operations
}

// request is what asks for an operation in a project, with what it needs at least.
func (o pageOperation) request(t *testing.T, ctx context.Context, base, name, project string) *http.Request {
	method, path, _ := strings.Cut(name, " ")
	values := map[string]string{"project": project, "path": "/new.txt", "as": "copy", "api": "mcp", "tool": "memory"}
	query, body, kind := url.Values{}, "", "application/json"
	for _, p := range o.Parameters {
		if value, ok := values[p.Name]; ok {
			query.Set(p.Name, value)
		}
	}
	if _, bytes := o.RequestBody.Content["application/octet-stream"]; bytes {
		kind = "application/octet-stream"
	} else if method == http.MethodPost {
		sent := map[string]string{}
		for p := range o.RequestBody.Content[kind].Schema.Properties {
			if value, ok := values[p]; ok && (p != "as" || path != "/api/projects/restore") {
				sent[p] = value
			}
		}
		data, err := json.Marshal(sent)
		require.NoError(t, err)
		body = string(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, base+path+"?"+query.Encode(), strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", kind)
	return r
}

// TestRightsAtEachDoor has tokens of each role, and with each restriction, ask for each operation in their own project
// and in another one, at each door that takes tokens. What is refused at one is refused at all.
func TestRightsAtEachDoor(t *testing.T) {
	const model, person, operator = service.Model, service.Person, service.Operator
	rights := map[service.Role]service.Right{
		model: service.Run | service.Read, person: service.Run | service.Read | service.Write | service.Decide |
			service.Settings, operator: service.Run | service.Read | service.Write | service.Decide |
			service.Settings | service.Operate}
	const chosen = `, "tools": ["memory"], "options": {"memory": {}}`
	var entries []string
	type holder struct {
		name  string
		role  service.Role
		limit string
	}
	var all []holder
	for _, role := range []service.Role{model, person, operator} {
		for limit, fields := range map[string]string{"": "", "blind": `, "noResources": true`, "chosen": chosen} {
			h := holder{fmt.Sprintf("%s-%s-%024d", role, limit, 0), role, limit}
			all = append(all, h)
			entries = append(entries, fmt.Sprintf(
				`{"name": %q, "token": %q, "project": "own", "role": %q, "limits": {"rate": 100000}%s}`,
				h.name, h.name, role, fields))
		}
	}
	file := filepath.Join(t.TempDir(), "tokens.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"tokens": [`+strings.Join(entries, ",")+`]}`), 0o600))
	data := t.TempDir()
	s := serve(t, newHost(t, "TOOLRUN_DATA="+data), "--http", "localhost:0", "--tokens", file, "--page")
	alone := startPage(t, t.TempDir(), "--tokens", file)
	for _, h := range all {
		t.Run("MCP "+h.name, func(t *testing.T) {
			session, err := s.Connect(t.Context(), h.name)
			require.NoError(t, err)
			defer session.Close()
			_, err = toolruntest.Call(t.Context(), session, "memory", map[string]any{"command": "create",
				"path": "/memories/" + h.name, "file_text": "of the own project"})
			require.NoError(t, err)
			require.FileExists(t, filepath.Join(data, "projects", "own", "memories", h.name))
			_, err = toolruntest.Call(t.Context(), session, "javascript", map[string]any{"code": "return 1"})
			require.Equal(t, h.limit == "chosen", err != nil, "tools that the token does not have: %v", err)
			list, err := session.ListResources(t.Context(), nil)
			if h.limit == "blind" {
				require.True(t, err != nil || len(list.Resources) == 0)
			} else {
				require.NoError(t, err)
				require.NotEmpty(t, list.Resources)
			}
			_, err = session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "toolrun://own/memories/" + h.name})
			require.Equal(t, h.limit == "blind", err != nil, "%v", err)
			for _, uri := range []string{"toolrun://own/../other/a.txt", "toolrun://other/memories/" + h.name,
				"file:///etc/hostname"} {
				_, err = session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				require.Error(t, err)
			}
		})
	}
	for name, base := range map[string]string{"beside MCP": s.At(""), "alone": alone} {
		t.Run(name, func(t *testing.T) {
			owner := tokenHolder{t, base, fmt.Sprintf("%s--%024d", operator, 0), "own"}
			for name, o := range described(owner) {
				require.Contains(t, pageOperations, name, "say what right %s needs", name)
				for _, h := range all {
					for _, project := range []string{"own", "other"} {
						owner.do("POST", "/api/projects", map[string]any{"project": project}) // unless it is there
						checkOperation(t, o, base, name, h.name, project, rights[h.role], h.role == operator, h.limit)
					}
				}
			}
		})
	}
}

// checkOperation asks for an operation, and checks whether that is refused as it should be.
func checkOperation(t *testing.T, o pageOperation, base, name, token, project string, has service.Right, all bool,
	limit string) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel() // of streams, too
	response, err := (&http.Client{Transport: toolruntest.Bearer{Token: token}}).Do(
		o.request(t, ctx, base, name, project))
	require.NoError(t, err)
	defer response.Body.Close()
	if limit == "blind" {
		has &^= service.Read
	}
	what := fmt.Sprintf("%s of %s in %s: %s", name, token, project, response.Status)
	fixed := limit == "chosen" && name == "POST /api/settings"
	wants := pageOperations[name]
	switch {
	case has&wants.needs != wants.needs:
		require.Equal(t, http.StatusForbidden, response.StatusCode, what)
	case !all && !wants.ofAll && project == "other":
		require.Equal(t, http.StatusNotFound, response.StatusCode, what)
		var f struct{ Error service.Error }
		require.NoError(t, json.NewDecoder(response.Body).Decode(&f))
		require.Equal(t, "no project named other", f.Error.Message, what)
	case fixed:
		require.Equal(t, http.StatusForbidden, response.StatusCode, what)
	default:
		require.NotEqual(t, http.StatusForbidden, response.StatusCode, what)
		require.Less(t, response.StatusCode, http.StatusInternalServerError, what)
	}
}

// TestCallsGoOnWithinTheirLimits: a token's call that waited, and that somebody with other limits has decided on, has
// the time, quota and tools of its own token.
func TestCallsGoOnWithinTheirLimits(t *testing.T) {
	const quick, model = "qui-0000000000000000000000000000", "mod-1111111111111111111111111111"
	const person = "per-2222222222222222222222222222"
	file := filepath.Join(t.TempDir(), "tokens.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"tokens": [
		{"name": "qui", "token": "`+quick+`", "project": "p", "tools": ["javascript"],
			"limits": {"timeout": "300ms", "calls": 1}},
		{"name": "mod", "token": "`+model+`", "project": "p", "tools": ["javascript"],
			"limits": {"fileSize": 1000, "calls": 1}},
		{"name": "per", "token": "`+person+`", "project": "p", "role": "person"}]}`), 0o600))
	for name, base := range map[string]string{
		"beside MCP": serve(t, newHost(t), "--http", "localhost:0", "--tokens", file, "--page", "--ask",
			"javascript").At(""),
		"alone": startPage(t, t.TempDir(), "--tokens", file, "--ask", "javascript"),
	} {
		t.Run(name, func(t *testing.T) {
			per := tokenHolder{t, base, person, "p"}
			for code, want := range map[string]string{
				"for (;;);": "300ms",
				"fs.writeFileSync('/large', 'x'.repeat(2000))":                                        "ENOSPC",
				"for (let i = 0; i < 5; i++) fs.writeFileSync('/' + i, 'x'.repeat(900)); return 'ok'": "ok",
			} {
				mod, input := tokenHolder{t, base, model, "p"}, map[string]any{"code": code}
				if want == "300ms" {
					mod.token = quick
				}
				require.Equal(t, "pending", mod.call("javascript", input, nil).Code)
				var waiting struct {
					Approvals []struct {
						Token string
						Waits []struct{ Call string }
					}
				}
				_, text := per.do("GET", "/api/approvals?project=p", nil)
				require.NoError(t, json.Unmarshal([]byte(text), &waiting))
				require.Len(t, waiting.Approvals, 1, text)
				a := waiting.Approvals[0]
				status, text := per.do("POST", "/api/approvals", map[string]any{"project": "p", "token": a.Token,
					"call": a.Waits[0].Call, "approved": true})
				require.Equal(t, http.StatusOK, status, text)
				got := mod.call("javascript", input, nil)
				for got.Code == "pending" { // it goes on
					got = mod.call("javascript", input, nil)
				}
				require.Contains(t, got.Result, want)
			}
		})
	}
}

// TestProjectsThatTokensRead: the tools that read several projects show a token, at each door, its own project, and of
// another one not even whether it exists.
func TestProjectsThatTokensRead(t *testing.T) {
	file, roles := filepath.Join(t.TempDir(), "tokens.json"), []service.Role{service.Model, service.Person,
		service.Operator}
	var entries []string
	for _, role := range roles {
		for _, project := range []string{"own", "secret"} {
			name := fmt.Sprintf("%s-%s-%024d", role, project, 0)
			entries = append(entries, fmt.Sprintf(`{"name": %q, "token": %[1]q, "project": %q, "role": %q,
				"tools": ["list_projects", "read_files", "filesystem"]}`, name, project, role))
		}
	}
	require.NoError(t, os.WriteFile(file, []byte(`{"tokens": [`+strings.Join(entries, ",")+`]}`), 0o600))
	s := serve(t, newHost(t), "--http", "localhost:0", "--tokens", file, "--page")
	made := map[string]any{"command": "create", "path": "/a.txt", "file_text": "of another", "overwrite": true}
	secret := map[string]any{"project": "secret", "paths": []string{"/a.txt", "/../secret/a.txt"}}
	none := map[string]any{"project": "none", "paths": []string{"/a.txt"}}
	for _, role := range roles {
		t.Run(string(role), func(t *testing.T) {
			token := func(project string) string { return fmt.Sprintf("%s-%s-%024d", role, project, 0) }
			other := tokenHolder{t, s.At(""), token("secret"), "secret"}
			require.Empty(t, other.call("filesystem", made, nil).Code)
			page := tokenHolder{t, s.At(""), token("own"), "own"}
			session, err := s.Connect(t.Context(), token("own"))
			require.NoError(t, err)
			defer session.Close()
			for door, call := range map[string]func(tool string, input map[string]any) string{
				"the API": func(tool string, input map[string]any) string { return page.call(tool, input, nil).Result },
				"MCP": func(tool string, input map[string]any) string {
					text, err := toolruntest.Call(t.Context(), session, tool, input)
					if err != nil {
						return err.Error()
					}
					return text
				},
			} {
				require.Equal(t, "Projects:\n- own", call("list_projects", map[string]any{}), door)
				require.Equal(t, "Error: There is no project 'secret'; list_projects names the projects.",
					call("read_files", secret), door)
				require.Equal(t, "Error: There is no project 'none'; list_projects names the projects.",
					call("read_files", none), door)
			}
		})
	}
}
