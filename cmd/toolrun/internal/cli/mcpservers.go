package cli

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/ownversion"
	"github.com/toolrun/toolrun/mcp/mcpclient"
)

// mcpConfigEnv is the environment variable that names the configuration if no flag does.
const mcpConfigEnv = "TOOLRUN_MCP_CONFIG"

// serverFlags name the MCP servers whose tools are added to the built-in ones, and what code can reach.
type serverFlags struct {
	cmd     *cobra.Command
	config  string
	network networkFlags
}

func (f *serverFlags) host() *Host { return hostOf(f.cmd) }

func (f *serverFlags) add(cmd *cobra.Command) {
	f.cmd = cmd
	f.network.add(cmd)
	cmd.Flags().StringVar(&f.config, "mcp-config", "",
		"add the tools of the MCP servers in `FILE` (default $"+mcpConfigEnv+")")
}

// file is the name of the configuration, or "" if there is none.
func (f *serverFlags) file() string {
	if f.config != "" {
		return f.config
	}
	return f.host().getenv(mcpConfigEnv)
}

// open makes a runner with the tools of the servers, if any.
func (f *serverFlags) open(cmd *cobra.Command, options toolrun.Options) (*runner, error) {
	if name := f.file(); name != "" {
		var err error
		if options.Servers, err = f.host().readServers(name); err != nil {
			return nil, err
		}
		if err := f.host().plainSecrets(name, options.Servers); err != nil {
			warnings(cmd.ErrOrStderr())(err)
		}
		if err := askInputs(cmd, &options.Servers); err != nil {
			return nil, err
		}
	}
	var err error
	if options.Network, err = f.network.policy(f.host()); err != nil {
		return nil, err
	}
	options.ServerOptions = mcpclient.Options{LookupEnv: f.host().LookupEnv, Dir: f.host().Dir,
		Transport: http.DefaultTransport, ClientVersion: ownversion.Get()}
	return open(cmd, options)
}

func (h *Host) readServers(name string) (mcpclient.Config, error) {
	data, err := h.readHead(name, mcpclient.MaxConfig+1)
	if err != nil {
		return mcpclient.Config{}, err
	}
	config, err := mcpclient.ParseConfig(data)
	if err != nil {
		return config, fmt.Errorf("%s: %w", name, err)
	}
	return config, nil
}

// plainSecrets returns a warning if a configuration contains secrets, or nil.
func (h *Host) plainSecrets(name string, config mcpclient.Config) error {
	fields := config.PlainSecrets()
	if len(fields) == 0 {
		return nil
	}
	const shown = 3
	list := strings.Join(fields[:min(len(fields), shown)], "; ")
	if more := len(fields) - shown; more > 0 {
		list += fmt.Sprintf("; and %d more", more)
	}
	info, err := h.stat(name)
	if err != nil || runtime.GOOS == "windows" { // where a mode does not say who can read the file
		return fmt.Errorf("%s contains secrets in plain text: %s; "+
			"${NAME} would take them from the environment", name, list)
	}
	advice := "${NAME} would take them from the environment"
	if info.Mode().Perm()&0o077 != 0 {
		advice = "others on this machine may read them: chmod 600 " + name
	}
	return fmt.Errorf("%s (mode %#o) contains secrets in plain text: %s; %s", name, info.Mode().Perm(), list, advice)
}
