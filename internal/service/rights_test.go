package service_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/vfs/local"
)

// operations are all operations, with the right that each needs. A new one is refused by this test until it is here.
var operations = map[string]service.Right{
	"ListProjects": service.Run, "ShowProject": service.Run,
	"MakeProject": service.Write, "Export": service.Read | service.Write, "Import": service.Write,
	"ListLayer": service.Read | service.Write, "ApplyLayer": service.Write, "DiscardLayer": service.Write,
	"ListMountedAt": service.Operate,
	"DeleteProject": service.Operate, "ListDeleted": service.Operate, "RestoreProject": service.Operate,
	"ListFiles": service.Read, "ReadText": service.Read, "ReadContent": service.Read, "Search": service.Read,
	"SaveText": service.Write, "Upload": service.Write, "MakeFolder": service.Write, "MoveFile": service.Write,
	"CopyFile":    service.Write,
	"DeleteFile":  service.Write,
	"ListHistory": service.Read | service.Write, "Diff": service.Read | service.Write,
	"CompareFile":  service.Read | service.Write,
	"RevertChange": service.Write, "CheckUndo": service.Write, "UndoCall": service.Write, "RedoCall": service.Write,
	"PurgeFile":       service.Operate,
	"CompactHistory":  service.Operate,
	"ListCheckpoints": service.Write, "MakeCheckpoint": service.Write,
	"CompareCheckpoint": service.Read | service.Write,
	"RestoreCheckpoint": service.Write, "DeleteCheckpoint": service.Write,
	"ListCalls": service.Run, "ShowCall": service.Run, "MakeCall": service.Run, "StopCall": service.Run,
	"ReadPicture": service.Run,
	"FollowCall":  service.Run, "FollowProject": service.Run,
	"ListSharedCalls": service.Run,
	"ListWaiting":     service.Decide, "ShowWaiting": service.Decide, "DecideNow": service.Decide,
	"ListApprovals": service.Decide, "ShowLoss": service.Read | service.Decide, "Decide": service.Decide,
	"ListSessions": service.Write, "ShowSession": service.Run | service.Read | service.Write,
	"ForkSession": service.Write, "DeleteSession": service.Write,
	"ListTools": service.Run, "Definitions": service.Run,
	"ListServers": service.Operate, "ListModules": service.Operate,
	"ShowSettings": service.Settings, "ChangeSettings": service.Settings, "MigrateSettings": service.Operate,
}

// ofNone are the operations that are not for one project.
var ofNone = map[string]bool{"ListProjects": true, "ListDeleted": true, "ListServers": true, "ListModules": true}

var errFollowed = errors.New("it is followed")

// do does an operation on a project, with what it needs at least. The error tells whether it was refused.
func do(t *testing.T, s *service.Service, name, project string) error {
	method := reflect.ValueOf(s).MethodByName(name)
	in := reflect.New(method.Type().In(1)).Elem()
	set := func(field, value string) {
		if f := in.FieldByName(field); f.IsValid() && f.Kind() == reflect.String {
			f.SetString(value)
		}
	}
	set("Project", project)
	set("As", project)
	set("Path", "/new.txt")
	set("API", "mcp")
	set("Tool", "memory")
	args := []reflect.Value{reflect.ValueOf(t.Context()), in}
	if method.Type().NumIn() == 3 {
		args = append(args, map[reflect.Type]reflect.Value{
			reflect.TypeFor[io.Reader](): reflect.ValueOf(bytes.NewReader(nil)),
			reflect.TypeFor[io.Writer](): reflect.ValueOf(&bytes.Buffer{}),
			reflect.TypeFor[func(service.Content) error](): reflect.ValueOf(
				func(service.Content) error { return nil }),
			reflect.TypeFor[func() (service.Follower, error)](): reflect.ValueOf(
				func() (service.Follower, error) { return nil, errFollowed }),
		}[method.Type().In(2)])
	}
	out := method.Call(args)
	err, _ := out[len(out)-1].Interface().(error)
	return err
}

// TestRights has each role do each operation, on its own project and on another one, also with files that whoever asks
// has opened.
func TestRights(t *testing.T) {
	found := map[string]bool{}
	for i := range reflect.TypeFor[*service.Service]().NumMethod() {
		m := reflect.TypeFor[*service.Service]().Method(i)
		if m.Type.NumIn() > 2 && m.Type.In(1) == reflect.TypeFor[context.Context]() {
			require.Contains(t, operations, m.Name, "say what right %s needs", m.Name)
			found[m.Name] = true
		}
	}
	require.Len(t, found, len(operations))
	files, err := local.NewMemoryStore(nil).Open(t.Context(), "own")
	require.NoError(t, err)
	rights := map[service.Role]service.Right{
		"":             service.Run | service.Read,
		service.Model:  service.Run | service.Read,
		service.Person: service.Run | service.Read | service.Write | service.Decide | service.Settings,
		service.Operator: service.Run | service.Read | service.Write | service.Decide | service.Settings |
			service.Operate,
	}
	for role, has := range rights {
		for _, with := range []service.Access{{}, {NoFiles: true}, {Files: files}} {
			for name, needs := range operations {
				t.Run(string(role)+" "+name, func(t *testing.T) {
					runner, err := toolrun.Open(t.Context(), nil)
					require.NoError(t, err)
					defer runner.Close()
					for _, id := range []string{"own", "other"} {
						p, err := runner.Store().Open(t.Context(), id)
						require.NoError(t, err)
						require.NoError(t, p.Close())
					}
					desk, err := service.New(runner, nil)
					require.NoError(t, err)
					defer func() { require.NoError(t, desk.Shutdown(context.Background())) }()
					access := with
					access.Name, access.Role, access.Project = "ada", role, "own"
					s := desk.Open(&access)
					allowed := has
					if with.NoFiles {
						allowed &^= service.Read
					}
					for _, project := range []string{"other", "own"} {
						err := do(t, s, name, project)
						switch {
						case allowed&needs != needs:
							require.Equal(t, "forbidden", service.Explain(err).Code)
						case project == "other" && !ofNone[name]:
							e := service.Explain(err)
							require.Equal(t, "not_found", e.Code, e.Message)
							require.Equal(t, "no project named other", e.Message)
						default:
							require.True(t, err == nil || service.Explain(err).Code != "forbidden", "%v", err)
						}
					}
				})
			}
		}
	}
}

// TestDeskWithoutRunner does each operation at a desk that has neither tools nor projects: with files that are open,
// those on files work, but for one that needs the secret of a store, and all others are refused.
func TestDeskWithoutRunner(t *testing.T) {
	files, err := local.NewMemoryStore(nil).Open(t.Context(), "own")
	require.NoError(t, err)
	desk, err := service.New(nil, nil)
	require.NoError(t, err)
	for _, with := range []service.Access{{}, {Files: files}} {
		for name, needs := range operations {
			access := with
			access.Name, access.Role, access.Project = "ada", service.Operator, "own"
			err := do(t, desk.Open(&access), name, "own")
			code := ""
			if err != nil {
				code = service.Explain(err).Code
			}
			onFiles := slices.Contains([]string{"PurgeFile", "CompactHistory", "MigrateSettings"}, name) ||
				needs&^(service.Read|service.Write) == 0 &&
					!slices.Contains([]string{"MakeProject", "ForkSession"}, name)
			if with.Files != nil && onFiles {
				require.NotContains(t, []string{"unavailable", "internal"}, code, "%s: %v", name, err)
			} else if code != "invalid" { // what is asked for may be looked at first
				require.Equal(t, "unavailable", code, "%s: %v", name, err)
			}
		}
	}
	require.NoError(t, desk.Shutdown(t.Context()))
}
