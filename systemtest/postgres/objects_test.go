//go:build systemtest

package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/admin"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/vfs/postgres"
	"github.com/toolrun/toolrun/vfs/vfstest"
)

// memoryObjects are objects in memory. Package s3 has a module of tests with a server.
type memoryObjects struct {
	mu  sync.Mutex
	all map[string][]byte
	// before is called before each access, and can let it fail.
	before func(what, name string) error
}

func newObjects() *memoryObjects {
	return &memoryObjects{all: map[string][]byte{}, before: func(string, string) error { return nil }}
}

func (o *memoryObjects) hook(before func(what, name string) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.before = before
}

func (o *memoryObjects) do(what, name string, do func() error) error {
	o.mu.Lock()
	before := o.before
	o.mu.Unlock()
	if err := before(what, name); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return do()
}

func (o *memoryObjects) Put(_ context.Context, name string, data []byte) error {
	return o.do("put", name, func() error {
		o.all[name] = bytes.Clone(data)
		return nil
	})
}

func (o *memoryObjects) Get(_ context.Context, name string) (data []byte, err error) {
	return data, o.do("get", name, func() error {
		var ok bool
		if data, ok = o.all[name]; !ok {
			return fs.ErrNotExist
		}
		return nil
	})
}

func (o *memoryObjects) Remove(_ context.Context, name string) error {
	return o.do("remove", name, func() error {
		delete(o.all, name)
		return nil
	})
}

func (o *memoryObjects) List(context.Context) iter.Seq2[postgres.Object, error] {
	return func(yield func(postgres.Object, error) bool) {
		for _, name := range o.names() {
			if !yield(postgres.Object{Name: name, Modified: time.Unix(1, 0)}, nil) {
				return
			}
		}
	}
}

// names returns the names of all contents.
func (o *memoryObjects) names() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(o.all)), func(name string) bool {
		return !strings.Contains(name,
			"/")
	})
}

// withObjects opens a store that removes objects at once when nothing needs them any more.
func withObjects(t testing.TB, url string, objects postgres.Objects) *postgres.Store {
	t.Helper()
	store, err := postgres.OpenWith(t.Context(), url, nil,
		&postgres.Options{Objects: objects, KeepObjects: time.Nanosecond})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// noise returns a content of which no two parts are the same.
func noise(size int) string {
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(size)}).Read(data)
	return string(data)
}

func sweep(t *testing.T, store *postgres.Store) {
	t.Helper()
	require.NoError(t, store.Sweep(t.Context(), 0))
	require.NoError(t, store.Sweep(t.Context(), 0)) // what was being uploaded goes the second time
}

const mib = 1 << 20

func TestStoreWithObjects(t *testing.T) {
	if !*soak {
		t.Skip("takes long; TestStore has most of it")
	}
	vfstest.TestStore(t, func(t *testing.T) vfs.Store { return withObjects(t, pgtest.URL(t), newObjects()) })
}

// TestObjects has large files in a project, and follows what becomes of their objects.
func TestObjects(t *testing.T) {
	objects := newObjects()
	store := withObjects(t, pgtest.URL(t), objects)
	p := storetest.Open(t, store, "p")
	first := noise(12*mib + 100) // more than a transaction keeps in memory
	storetest.Write(t, p.WithCall("first"), "/large", first)
	require.Len(t, objects.names(), 12, "each full part is one")
	require.Equal(t, first, storetest.Read(t, p, "/large"))
	storetest.Write(t, p, "/copy", first)
	storetest.Write(t, p, "/small", "small")
	require.Len(t, objects.names(), 12, "contents are shared")
	require.NoError(t, p.Remove("/copy"))

	second := first[:3*mib] + "changed" + first[3*mib+7:]
	require.NoError(t, p.WithCall("second").Exclusively(t.Context(), func(files afero.Fs) error {
		f, err := files.OpenFile("/large", 2, 0)
		require.NoError(t, err)
		_, err = f.WriteAt([]byte("changed"), 3*mib)
		return errors.Join(err, f.Close())
	}))
	require.Len(t, objects.names(), 13)
	require.Equal(t, second, storetest.Read(t, p, "/large"))
	sweep(t, store)
	requireSound(t, store)
	require.Len(t, objects.names(), 13, "the history needs the other one")

	_, err := p.Undo(t.Context(), "second")
	require.NoError(t, err)
	require.Equal(t, first, storetest.Read(t, p, "/large"))
	usage, err := p.Usage(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, len(first)+len("small"), usage.Bytes)

	f, err := p.Open("/large")
	require.NoError(t, err)
	data := make([]byte, 10)
	_, err = f.ReadAt(data, 2*mib-5)
	require.NoError(t, err)
	require.Equal(t, first[2*mib-5:2*mib+5], string(data))
	require.NoError(t, f.Close())

	require.NoError(t, store.Delete(t.Context(), "p"))
	sweep(t, store)
	require.Empty(t, objects.names())
	requireSound(t, store)
}

// TestObjectsAfterFailures has changes that fail when objects have been written for them, at each point.
func TestObjectsAfterFailures(t *testing.T) {
	content := noise(9*mib + 1)
	failed := errors.New("no answer")
	for name, fail := range map[string]func(t *testing.T, url string, objects *memoryObjects){
		"the third object cannot be written": func(_ *testing.T, _ string, objects *memoryObjects) {
			var n atomic.Int64
			objects.hook(func(what, _ string) error {
				if what == "put" && n.Add(1) == 3 {
					return failed
				}
				return nil
			})
		},
		"they are collected meanwhile": func(t *testing.T, url string, objects *memoryObjects) {
			other := withObjects(t, url, objects)
			var n atomic.Int64
			objects.hook(func(what, _ string) error {
				if what == "put" && n.Add(1) == 9 {
					return errors.Join(other.Sweep(context.Background(), 0), other.Sweep(context.Background(), 0))
				}
				return nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			objects, url := newObjects(), pgtest.URL(t)
			store := withObjects(t, url, objects)
			p := storetest.Open(t, store, "p")
			storetest.Write(t, p, "/large", "old")
			fail(t, url, objects)
			err := vfs.WriteFile(t.Context(), p, "/large", []byte(content))
			u, ok := errors.AsType[*vfs.UnavailableError](err)
			require.True(t, ok, "%v", err)
			require.False(t, u.Unknown)
			require.Equal(t, "old", storetest.Read(t, p, "/large"))
			objects.hook(func(string, string) error { return nil })
			_, err = store.FindLostObjects(t.Context(), false) // as nothing is kept here, an upload can be later
			require.NoError(t, err)
			requireSound(t, store)
			storetest.Write(t, p, "/large", content)
			require.Equal(t, content, storetest.Read(t, p, "/large"))
			sweep(t, store)
			require.Len(t, objects.names(), 9, "the others have been collected")
			requireSound(t, store)
		})
	}
}

// TestLostCommitWithObjects cuts the connection when the objects are there, but nothing that names them.
func TestLostCommitWithObjects(t *testing.T) {
	server := pgtest.Get(t)
	if server.Port == 0 {
		t.Skip("the server is not ours")
	}
	objects, url := newObjects(), pgtest.URL(t)
	proxy := newProxy(t, server)
	store := withObjects(t, proxy.url(server, url), objects)
	p := storetest.Open(t, store, "p")
	storetest.Write(t, p, "/large", "old")
	proxy.cutting(func(data []byte) when {
		if bytes.Contains(data, []byte(commit)) {
			return before
		}
		return never
	})
	err := vfs.WriteFile(t.Context(), p, "/large", []byte(noise(3*mib)))
	require.Error(t, err)
	require.Len(t, objects.names(), 3)
	proxy.cutting(nil)
	require.Equal(t, "old", storetest.Read(t, p, "/large"))
	requireSound(t, store)
	sweep(t, store)
	require.Empty(t, objects.names())
	requireSound(t, store)
}

// TestObjectsThatFail has a storage that does not answer, and one that has lost or changed something.
func TestObjectsThatFail(t *testing.T) {
	objects := newObjects()
	store := withObjects(t, pgtest.URL(t), objects)
	p := storetest.Open(t, store, "p")
	content := noise(2 * mib)
	storetest.Write(t, p, "/large", content)
	objects.hook(func(string, string) error { return fs.ErrPermission })
	_, err := afero.ReadFile(p, "/large")
	_, ok := errors.AsType[*vfs.UnavailableError](err)
	require.True(t, ok, "%v", err)
	require.NotErrorIs(t, err, fs.ErrPermission, "it is not the file's")
	require.ErrorContains(t, err, "reading from the object storage failed")
	objects.hook(func(string, string) error { return nil })

	names := objects.names()
	lost := objects.all[names[0]]
	problems := func() (all []string) {
		require.NoError(t, store.Check(t.Context(), func(_, problem string) { all = append(all, problem) }))
		return all
	}
	text := "a part of the content of large is missing in the object storage, or another one: " + names[0]
	delete(objects.all, names[0])
	_, err = afero.ReadFile(p, "/large")
	require.ErrorContains(t, err, "toolrun store check")
	require.NotErrorIs(t, err, fs.ErrNotExist)
	require.Equal(t, []string{text}, problems())
	objects.all[names[0]] = []byte("something else")
	_, err = afero.ReadFile(p, "/large")
	require.ErrorContains(t, err, "toolrun store check")
	require.Equal(t, []string{text}, problems())
	objects.all[names[0]] = lost
	require.Equal(t, content, storetest.Read(t, p, "/large"))

	// An object that nothing knows of, as there is after the database has been restored.
	strange := strings.Replace(names[0], "/", "1/", 1)
	objects.all[strange] = lost
	require.Equal(t, []string{"1 objects in the object storage belong to nothing: `toolrun store sweep` removes them"},
		problems())
	n, err := store.FindLostObjects(t.Context(), false)
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	sweep(t, store)
	require.Equal(t, names, objects.names())
	require.Empty(t, problems())
}

// TestOtherObjects opens a database with objects that are not its own.
func TestOtherObjects(t *testing.T) {
	url, objects := pgtest.URL(t), newObjects()
	p := storetest.Open(t, open(t, nil), "p") // a database that has none
	storetest.Write(t, p, "/large", noise(2*mib))
	storetest.Write(t, storetest.Open(t, openAt(t, url, nil), "before"), "/large", noise(2*mib))
	store := withObjects(t, url, objects)
	require.Equal(t, noise(2*mib), storetest.Read(t, storetest.Open(t, store, "before"), "/large"),
		"it stays where it is")
	for name, test := range map[string]struct {
		url     string
		objects postgres.Objects
		text    string
	}{
		"none":                  {url, nil, "has contents in object storage"},
		"empty ones":            {url, newObjects(), "has nothing of this database"},
		"another database":      {pgtest.URL(t), objects, "that of another database"},
		"the same ones, though": {url, objects, ""},
	} {
		t.Run(name, func(t *testing.T) {
			store, err := postgres.OpenWith(t.Context(), test.url, nil, &postgres.Options{Objects: test.objects})
			if test.text == "" {
				require.NoError(t, err)
				require.NoError(t, store.Close())
				return
			}
			require.ErrorContains(t, err, test.text)
		})
	}
	_, err := postgres.OpenWith(t.Context(), url, nil, &postgres.Options{Objects: objects, KeepObjects: -1})
	require.ErrorIs(t, err, fs.ErrInvalid)
	// The URL can name them.
	for parameters, text := range map[string]string{
		"&objects=s3://bucket/a%26b":                  "",
		"&objects=s3://bucket/a%26b&objects_keep=72h": "",
		"&objects=s3://bucket&objects_keep=3":         "objects_keep is a time",
		"&objects_keep=3h":                            "no objects",
		"&objects=%zz":                                "not well-formed",
		"&objects=s3://other":                         "cannot be opened",
	} {
		opened, err := postgres.OpenWith(t.Context(), url+parameters, nil, &postgres.Options{
			OpenObjects: func(address string) (postgres.Objects, error) {
				if address != "s3://bucket/a&b" {
					return nil, errors.New("cannot be opened")
				}
				return objects, nil
			},
		})
		if text != "" {
			require.ErrorContains(t, err, text, parameters)
			continue
		}
		require.NoError(t, err, parameters)
		require.NoError(t, opened.Close())
	}
	_, err = postgres.Open(t.Context(), url+"&objects=s3://bucket", nil)
	require.ErrorContains(t, err, "package s3")
}

// TestMigrateWithObjects copies large files into a database with objects and back.
func TestMigrateWithObjects(t *testing.T) {
	directory := func() vfs.Store {
		store, err := local.OpenStore(t.TempDir(), &vfs.Options{NoSync: true})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		return store
	}
	from, back, objects := directory(), directory(), newObjects()
	content := noise(10*mib + 5)
	p := storetest.Open(t, from, "p")
	storetest.Write(t, p, "/large", "small")
	storetest.Write(t, p.WithCall("call"), "/large", content)
	store := withObjects(t, pgtest.URL(t), objects)
	require.NoError(t, admin.Migrate(t.Context(), from, store, func(admin.Result) {}))
	require.Len(t, objects.names(), 10)
	requireSound(t, store)
	require.NoError(t, admin.Migrate(t.Context(), store, back, func(admin.Result) {}))
	require.Equal(t, content, storetest.Read(t, storetest.Open(t, back, "p"), "/large"))
	_, err := storetest.Open(t, store, "p").Undo(t.Context(), "call")
	require.NoError(t, err)
	require.Equal(t, "small", storetest.Read(t, storetest.Open(t, store, "p"), "/large"))
}
