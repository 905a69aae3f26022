package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/userdirs"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/vfs"
)

// A Host is what a command has of the process that runs it. It asks the process for nothing else, so that a process can
// run several at once.
type Host struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Dir is the working directory. Empty means that of the process.
	Dir string
	// LookupEnv returns a variable of the environment, as [os.LookupEnv] does. Environ is the whole environment, as
	// that of [os.Environ], for programs that the command starts.
	LookupEnv func(name string) (value string, ok bool)
	Environ   []string
	// Notify relays signals to a channel until stop is called, as [signal.Notify] does. Nil means that there are none.
	Notify func(c chan<- os.Signal, signals ...os.Signal) (stop func())
	// Alone says that the process ends with the command, which may then choose for all of it how garbage is collected.
	Alone bool

	// Program is the path of the program, for what starts it again. Empty means that of the process.
	Program string
	// Engine runs code. Nil means that the command has one of its own, with the user's cache of compiled code.
	Engine *sandbox.Engine
	// Listen opens an address of a server. Nil means the network's.
	Listen func(ctx context.Context, network, address string) (net.Listener, error)
	// Transport makes the requests of downloads. Nil means the network's.
	Transport http.RoundTripper
	// OpenStore opens a store of projects. Nil means [OpenStore].
	OpenStore func(ctx context.Context, place string, options *vfs.Options) (vfs.Store, error)
}

// Process returns the host of a command that has a process to itself.
func Process() *Host {
	return &Host{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv, Environ: os.Environ(),
		Alone: true,
		Notify: func(c chan<- os.Signal, signals ...os.Signal) func() {
			signal.Notify(c, signals...)
			return func() { signal.Stop(c) }
		}}
}

type hostKey struct{}

// hostOf returns the host of a command that runs.
func hostOf(cmd *cobra.Command) *Host {
	return cmd.Root().Context().Value(hostKey{}).(*Host) // only the root's is set for all
}

// getenv returns a variable of the environment, or "".
func (h *Host) getenv(name string) string {
	value, _ := h.LookupEnv(name)
	return value
}

func (h *Host) dirs() userdirs.Env { return h.LookupEnv }

// notify relays signals to a channel until stop is called.
func (h *Host) notify(c chan<- os.Signal, signals ...os.Signal) (stop func()) {
	if h.Notify == nil {
		return func() {}
	}
	return h.Notify(c, signals...)
}

// untilSignal returns a context that ends with one of the signals. A second one then does what it does by itself.
func (h *Host) untilSignal(ctx context.Context, signals ...os.Signal) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	c := make(chan os.Signal, 1)
	stop := h.notify(c, signals...)
	go func() {
		defer stop()
		select {
		case <-c:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// executable is the path of this program.
func (h *Host) executable() (string, error) {
	if h.Program != "" {
		return h.Program, nil
	}
	if program, err := os.Executable(); err == nil {
		return program, nil
	}
	program, err := exec.LookPath(os.Args[0]) // Linux knows no better without /proc
	if err != nil {
		return "", err
	}
	return filepath.Abs(program)
}

// installation is the path of this program, without links, and the directory in which releases have what belongs to it.
func (h *Host) installation() (program, lib string, err error) {
	if program, err = h.executable(); err != nil {
		return "", "", err
	}
	if file, err := filepath.EvalSymlinks(program); err == nil { // otherwise it has been replaced or moved meanwhile
		program = file
	}
	return program, filepath.Join(filepath.Dir(program), "..", "lib", "toolrun"), nil
}

// path is where a file is that has a name in the working directory.
func (h *Host) path(name string) string {
	if h.Dir == "" || name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(h.Dir, name)
}

// named makes an error have the name of a file that the user knows.
func named(err error, name string) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		failed.Path = name
	}
	return err
}

// open, openFile, openRoot, readFile and stat are those of package os, for names in the working directory.
func (h *Host) open(name string) (*os.File, error) { return h.openFile(name, os.O_RDONLY, 0) }

func (h *Host) openFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(h.path(name), flag, mode)
	return f, named(err, name)
}

func (h *Host) openRoot(name string) (*os.Root, error) {
	root, err := os.OpenRoot(h.path(name))
	return root, named(err, name)
}

func (h *Host) readFile(name string) ([]byte, error) {
	data, err := os.ReadFile(h.path(name))
	return data, named(err, name)
}

func (h *Host) stat(name string) (fs.FileInfo, error) {
	info, err := os.Stat(h.path(name))
	return info, named(err, name)
}

// listen opens an address of a server.
func (h *Host) listen(ctx context.Context, address string) (net.Listener, error) {
	if h.Listen != nil {
		return h.Listen(ctx, "tcp", address)
	}
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", address)
}
