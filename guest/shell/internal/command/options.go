package command

import (
	"fmt"
	"strings"
)

// parse reads options and operands from c.Args, as getopt_long does: options may follow operands, long ones may be
// abbreviated, and "--" ends them. It returns the exit status and false if the command is not to run.
func (cmd *Command) parse(c *Context) (status int, ok bool) {
	args := c.Args
	var operands []string
	for len(args) > 0 {
		arg, words, given := args[0], args, len(c.Given)
		args = args[1:]
		switch {
		case arg == "--":
			c.Args = append(operands, args...)
			return 0, true
		case strings.HasPrefix(arg, "--"):
			name, value, valued := strings.Cut(arg[2:], "=")
			o, failure := cmd.long(name)
			if failure != "" {
				return c.Usage("%s", failure), false
			}
			switch {
			case o.Long == "help" || o.Long == "version":
				if !cmd.has(o.Long) {
					if o.Long == "help" {
						cmd.help(c)
					} else {
						fmt.Fprintf(c.Stdout, "%s (toolrun)\n", cmd.Name)
					}
					return 0, false
				}
			case o.Arg == "" && valued:
				return c.Usage("option '--%s' doesn't allow an argument", o.Long), false
			case o.Arg != "" && !o.Optional && !valued:
				if len(args) == 0 {
					return c.Usage("option '--%s' requires an argument", o.Long), false
				}
				value, args = args[0], args[1:]
			}
			c.Given = append(c.Given, Given{o.name(), value})
		case len(arg) > 1 && arg[0] == '-':
			if cmd.Number != "" && isDigits(arg[1:]) {
				c.Given = append(c.Given, Given{cmd.Number, arg[1:]})
				break
			}
			var failure string
			if args, failure = cmd.cluster(c, arg[1:], args); failure != "" {
				return c.Usage("%s", failure), false
			}
		default:
			if cmd.StopAtOperand {
				c.Args = append([]string{arg}, args...)
				return 0, true
			}
			operands = append(operands, arg)
		}
		if len(c.Given) > given {
			c.Typed = append(c.Typed, words[:len(words)-len(args)]...)
		}
	}
	c.Args = operands
	return 0, true
}

// cluster reads options that are letters, of which the last can have an argument, and returns the arguments left.
func (cmd *Command) cluster(c *Context, letters string, args []string) (rest []string, failure string) {
	for letters != "" {
		letter := letters[0]
		letters = letters[1:]
		o := cmd.short(letter)
		switch {
		case o == nil:
			return nil, fmt.Sprintf("invalid option -- '%c'", letter)
		case o.Arg == "":
			c.Given = append(c.Given, Given{o.name(), ""})
			continue
		case letters == "" && !o.Optional:
			if len(args) == 0 {
				return nil, fmt.Sprintf("option requires an argument -- '%c'", letter)
			}
			letters, args = args[0], args[1:]
		}
		c.Given = append(c.Given, Given{o.name(), letters})
		break
	}
	return args, ""
}

func (cmd *Command) short(letter byte) *Option {
	for i := range cmd.Options {
		if cmd.Options[i].Short == letter {
			return &cmd.Options[i]
		}
	}
	return nil
}

func (cmd *Command) has(long string) bool {
	for i := range cmd.Options {
		if cmd.Options[i].Long == long {
			return true
		}
	}
	return false
}

// long returns the option with a long name, or with the only one that begins so.
func (cmd *Command) long(name string) (o *Option, failure string) {
	var found []*Option
	consider := func(option *Option) bool {
		if option.Long == name {
			o = option
			return true
		}
		if option.Long != "" && strings.HasPrefix(option.Long, name) {
			found = append(found, option)
		}
		return false
	}
	for i := range cmd.Options {
		if consider(&cmd.Options[i]) {
			return o, ""
		}
	}
	if consider(&Option{Long: "help"}) || consider(&Option{Long: "version"}) {
		return o, ""
	}
	switch len(found) {
	case 0:
		return nil, fmt.Sprintf("unrecognized option '--%s'", name)
	case 1:
		return found[0], ""
	}
	var names strings.Builder
	for _, option := range found {
		fmt.Fprintf(&names, " '--%s'", option.Long)
	}
	return nil, fmt.Sprintf("option '--%s' is ambiguous; possibilities:%s", name, names.String())
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
