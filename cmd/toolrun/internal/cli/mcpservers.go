package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/registry"
)

// mcpConfigEnv is the variable that names the configuration if no flag does.
const mcpConfigEnv = "TOOLRUN_MCP_CONFIG"

// serverFlags say which MCP servers' tools there are besides the built-in ones.
type serverFlags struct {
	config string
}

func (f *serverFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.config, "mcp-config", "", "use the tools of the MCP servers in `FILE`, too (default $"+mcpConfigEnv+")")
}

// file is the configuration, or "" if there is none.
func (f *serverFlags) file() string {
	if f.config != "" {
		return f.config
	}
	return os.Getenv(mcpConfigEnv)
}

// withServers connects to the servers, of which there can be none, and warns of those that cannot be reached. The set's registry has
// their tools and those of base. It must be closed.
func (f *serverFlags) withServers(ctx context.Context, base *registry.Registry, warnings io.Writer) (*mcpclient.Set, error) {
	var config mcpclient.Config
	if name := f.file(); name != "" {
		var err error
		if config, err = readServers(name); err != nil {
			return nil, err
		}
	}
	set, err := mcpclient.Open(ctx, config, &mcpclient.Options{
		Base: base, LookupEnv: os.LookupEnv, Transport: http.DefaultTransport, ClientVersion: version(),
	})
	if err != nil {
		return nil, err
	}
	for _, status := range set.Status() {
		if status.Err != nil {
			fmt.Fprintf(warnings, "toolrun: warning: %v\n", status.Err)
		}
	}
	return set, nil
}

func readServers(name string) (mcpclient.Config, error) {
	data, err := readHead(name, mcpclient.MaxConfig+1)
	if err != nil {
		return mcpclient.Config{}, err
	}
	config, err := mcpclient.ParseConfig(data)
	if err != nil {
		return config, fmt.Errorf("%s: %w", name, err)
	}
	return config, nil
}
