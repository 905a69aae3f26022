package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/clientconfig"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/archive"
)

// completeCommands adds completion of arguments and flags for shells. Completion changes nothing.
func completeCommands(cmd *cobra.Command) {
	if complete, ok := completedArguments[strings.TrimPrefix(cmd.CommandPath(), "toolrun ")]; ok {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			if len(args) >= len(complete) && !repeats(cmd) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			of := complete[min(len(args), len(complete)-1)]
			if of == nil {
				return nil, cobra.ShellCompDirectiveDefault // a file of the host
			}
			return of(cmd, typed)
		}
	} else if cmd.Runnable() {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	flags := cmd.LocalFlags()
	for name, complete := range completedFlags {
		if flags.Lookup(name) == nil {
			continue
		}
		// It only fails if the flag does not exist or was registered before.
		_ = cmd.RegisterFlagCompletionFunc(name, complete.ofFlag)
	}
	for _, sub := range cmd.Commands() {
		completeCommands(sub)
	}
}

// A completer returns the words that complete what has been typed.
type completer func(cmd *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective)

func (c completer) ofFlag(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return c(cmd, typed)
}

// completedArguments are the completers of arguments, by command and in order. Nil means a file of the host. For
// commands that take any number of arguments, the last completer serves all that follow.
var completedArguments = map[string][]completer{
	"js":                 {nil},
	"py":                 {nil},
	"call":               {completeTool},
	"replay":             {nil},
	"setup":              {completeClient},
	"tools":              {completeTool},
	"files ls":           {completePath},
	"files tree":         {completePath},
	"files cat":          {completePath},
	"files put":          {nil, completePath},
	"files get":          {completePath, nil},
	"files rm":           {completePath},
	"files mv":           {completePath, completePath},
	"files cp":           {completePath, completePath},
	"files mkdir":        {completePath},
	"files history":      {completePath},
	"files deleted":      {completePath},
	"files purge":        {completePath},
	"files restore":      {completeChange, completePath},
	"files undo":         {completeCall},
	"files redo":         {completeUndone},
	"files edit":         {completePath},
	"files diff":         {completePath, completeChange, completeChange},
	"files grep":         {completeNothing, completePath},
	"files import":       {nil},
	"files export":       {nil},
	"checkpoint restore": {completeCheckpoint},
	"checkpoint delete":  {completeCheckpoint},
	"approvals show":     {completeRun},
	"approvals approve":  {completeRun},
	"approvals refuse":   {completeRun},
	"calls stop":         {completeRunning},
	"project delete":     {completeProject},
	"project restore":    {completeDeleted},
	"session show":       {completeSession},
	"session fork":       {completeSession, completeNothing},
	"session delete":     {completeSession},
	"module add":         {nil},
	"module show":        {completeModule},
	"module remove":      {completeModule},
	"module verify":      {completeModule},
	"module new":         {completeDirectory},
}

func repeats(cmd *cobra.Command) bool { return strings.Contains(cmd.Use, "...") }

var completedFlags = map[string]completer{
	"project":    completeProject,
	"root":       completeDirectory,
	"data":       completeDirectory,
	"enable":     completeList(completeTool),
	"disable":    completeList(completeTool),
	"option":     completeOption,
	"reset":      completeOption,
	"format":     fixed(string(archive.Zip), string(archive.Tar), string(archive.TarGzip)),
	"api":        completeAPI,
	"ask":        completeList(completeAsk),
	"lang":       completeLanguage,
	"checkpoint": fixed(service.FindSetting("checkpoint").Words()...),
	"session":    completeSession,
}

// completeLanguage completes the languages of what a command begins or runs.
func completeLanguage(cmd *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if cmd.Name() == "repl" {
		return offer(languageNames(), typed)
	}
	return offer(moduleLanguages, typed)
}

// offer returns the words that begin with what has been typed.
func offer(words []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return startingWith(words, typed), cobra.ShellCompDirectiveNoFileComp
}

func fixed(words ...string) completer {
	return func(_ *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return offer(words, typed)
	}
}

// completeList completes the last item of a list separated by commas.
func completeList(one completer) completer {
	return func(cmd *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := strings.LastIndexByte(typed, ',') + 1
		words, directive := one(cmd, typed[at:])
		for i := range words {
			words[i] = typed[:at] + words[i]
		}
		return words, directive
	}
}

func completeDirectory(*cobra.Command, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func completeAPI(cmd *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var words []string
	for _, api := range apis {
		if api != tool.XML || cmd.Name() == "prompt" {
			words = append(words, string(api))
		}
	}
	return offer(words, typed)
}

func completeTool(cmd *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	tools, err := builtIn(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var words []string
	for _, spec := range tools.Specs() {
		words = append(words, spec.Name)
	}
	return offer(words, typed)
}

// completeOption completes TOOL.NAME=VALUE, or TOOL.NAME for --reset.
func completeOption(cmd *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	tools, err := builtIn(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var words []string
	for _, spec := range tools.Specs() {
		for _, option := range spec.Options {
			name := spec.Name + "." + option.ID
			if !strings.HasPrefix(typed, name+"=") {
				words = append(words, name)
				continue
			}
			if option.Type == tool.OptionBool {
				words = append(words, name+"=false", name+"=true")
			}
			for _, choice := range option.Choices {
				words = append(words, name+"="+choice.Value)
			}
		}
	}
	words, directive := offer(words, typed)
	// a value may follow
	return words, directive | cobra.ShellCompDirectiveNoSpace
}

// projectOf returns the project that a command's flags name.
func projectOf(cmd *cobra.Command) *projectFlags {
	value := func(name string) string {
		if flag := cmd.Flag(name); flag != nil {
			return flag.Value.String()
		}
		return ""
	}
	return &projectFlags{id: value("project"), root: value("root"), data: value("data"), cmd: cmd}
}

func completeProject(cmd *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	f := projectOf(cmd)
	if there, err := f.hasStore(); err != nil || !there {
		return offer(nil, typed)
	}
	store, err := f.store(nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer store.Close()
	ids, _ := store.List(cmd.Context(), "", 0) // as many as it can list
	return offer(ids, typed)
}

func completePath(cmd *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	project, err := projectOf(cmd).existing(cmd.Context())
	if err != nil {
		return offer(nil, typed)
	}
	defer project.Close()
	words, directive := offer(plain(pathsIn(project, typed)), "")
	if len(words) == 1 && strings.HasSuffix(words[0], "/") {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return words, directive
}

// plain leaves out words that have a special meaning. It changes the list.
func plain(words []string) []string {
	return slices.DeleteFunc(words, func(word string) bool { return !isPlain(word) })
}

// isPlain reports whether a name has no special meaning in any shell, in its completion or as an argument. A script may
// have chosen a file's name, and completion puts the name on a command line.
func isPlain(name string) bool {
	if strings.HasPrefix(name, "-") || strings.HasPrefix(name, "_activeHelp_") {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._+,@%/-", r)
	})
}

// oneOf completes the word that one of the things is known by that an operation lists, of those that have no special
// meaning and are not empty.
func oneOf[T any](list func(ctx context.Context, s *service.Service) ([]T, error), word func(T) string) completer {
	return func(cmd *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		f := projectOf(cmd)
		project, err := f.existing(cmd.Context())
		if err != nil {
			return offer(nil, typed)
		}
		defer project.Close()
		s, err := f.service(project)
		if err != nil {
			return offer(nil, typed)
		}
		all, _ := list(cmd.Context(), s)
		var words []string
		for _, one := range all {
			if word := word(one); word != "" {
				words = append(words, word)
			}
		}
		return offer(plain(words), typed)
	}
}

func history(ctx context.Context, s *service.Service) ([]service.ChangeInfo, error) {
	found, err := s.ListHistory(ctx, service.HistoryRequest{Project: s.Project()})
	return found.Changes, err
}

var (
	// completeChange completes the id of a change that restore can use.
	completeChange = oneOf(history, func(c service.ChangeInfo) string {
		op := vfs.Op(c.Op)
		if c.Lost || c.Special || op == vfs.OpPurged || c.Purged != 0 && !c.Kept && op != vfs.OpRename {
			return ""
		}
		return strconv.FormatInt(c.ID, 10)
	})
	// completeCall completes the id of a call that can be undone, and completeUndone that of one that was.
	completeCall   = oneOf(history, func(c service.ChangeInfo) string { return c.Call })
	completeUndone = oneOf(history, func(c service.ChangeInfo) string {
		if vfs.Op(c.Op) != vfs.OpUndone {
			return ""
		}
		return c.Undoes
	})

	completeCheckpoint = oneOf(func(ctx context.Context, s *service.Service) ([]service.CheckpointInfo, error) {
		found, err := s.ListCheckpoints(ctx, service.InProject{Project: s.Project()})
		return found.Checkpoints, err
	}, func(c service.CheckpointInfo) string { return c.Name })
	completeSession = oneOf(func(ctx context.Context, s *service.Service) ([]service.SessionInfo, error) {
		found, err := s.ListSessions(ctx, service.InProject{Project: s.Project()})
		return found.Sessions, err
	}, func(s service.SessionInfo) string { return s.Name })
)

// completeRunning completes the id of a call that runs.
func completeRunning(cmd *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	running, _ := projectOf(cmd).sharedCalls(cmd, true)
	var words []string
	for _, call := range running {
		words = append(words, call.ID)
	}
	return offer(plain(words), typed)
}

// completeDeleted completes the id of a deleted project.
func completeDeleted(cmd *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var words []string
	_ = projectOf(cmd).desk(cmd, func(s *service.Service) error {
		deleted, err := s.ListDeleted(cmd.Context(), service.Nothing{})
		for _, p := range deleted.Projects {
			words = append(words, p.Name)
		}
		return err
	})
	return offer(words, typed)
}

func completeNothing(*cobra.Command, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func completeClient(_ *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []string
	for _, client := range clientconfig.Clients {
		names = append(names, client.Name)
	}
	return offer(names, typed)
}
