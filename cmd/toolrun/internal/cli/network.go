package cli

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/network"
)

// networkFlags say which requests code can make.
type networkFlags struct {
	allow, secrets, limits, reach []string
}

func (f *networkFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.allow, "allow", nil,
		"let code make requests by this `RULE`, as in 'GET https://example.com/**'\n"+
			"(repeatable; default: there is no network)")
	cmd.Flags().StringArrayVar(&f.secrets, "secret", nil,
		"give requests a secret that code does not see, as `NAME=env:NAME@HOST`\nor NAME=file:PATH@HOST (repeatable)")
	cmd.Flags().StringArrayVar(&f.limits, "network-limit", nil,
		"set a `LIMIT` of requests, as in response=10MB: time, request, response,\n"+
			"headers, redirects, run, minute or together (repeatable)")
	cmd.Flags().StringArrayVar(&f.reach, "reach", nil,
		"let names lead to this private `ADDRESS` or network, such as 10.0.0.0/8\n(repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("network-limit",
		cobra.FixedCompletions([]string{"time=", "request=", "response=", "headers=", "redirects=",
			"run=", "minute=", "together="}, cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp))
}

// policy returns what the flags allow, or nil if that is nothing.
func (f *networkFlags) policy(host *Host) (*network.Policy, error) {
	if len(f.allow)+len(f.secrets)+len(f.limits)+len(f.reach) == 0 {
		return nil, nil
	}
	var p network.Policy
	for _, text := range f.allow {
		rule, err := network.ParseRule(text)
		if err != nil {
			return nil, fmt.Errorf("--allow: %w", err)
		}
		p.Rules = append(p.Rules, rule)
	}
	for _, text := range f.secrets {
		secret, err := network.ParseSecret(text, host.LookupEnv, host.readFile)
		if err != nil {
			return nil, fmt.Errorf("--secret: %w", err)
		}
		p.Secrets = append(p.Secrets, secret)
	}
	for _, text := range f.limits {
		if err := p.Limits.Set(text); err != nil {
			return nil, fmt.Errorf("--network-limit: %w", err)
		}
	}
	for _, text := range f.reach {
		prefix, err := network.ParseReachable(text)
		if err != nil {
			return nil, fmt.Errorf("--reach: %w", err)
		}
		p.Reachable = append(p.Reachable, prefix)
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	for i, rule := range p.Rules {
		// An address in a rule is meant. A name is only resolved later, and could lead anywhere.
		if local := rule.Host == "localhost" || strings.HasSuffix(rule.Host, ".localhost"); local &&
			!p.Reaches(netip.AddrFrom4([4]byte{127, 0, 0, 1})) && !p.Reaches(netip.IPv6Loopback()) {
			return nil, fmt.Errorf("--allow %s: no name leads to this machine, not even %s, without --reach 127.0.0.1",
				f.allow[i], rule.Host)
		}
	}
	return &p, nil
}
