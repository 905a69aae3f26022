package vfs

import (
	"fmt"
	"slices"
	"syscall"
)

// protectedNames is the list of [ProtectedNames].
var protectedNames = slices.Concat(
	// Version control: hooks, filters, monitors and pagers are commands in its configuration. A directory with a file
	// named HEAD can be taken for a repository without a working tree, so that is protected if it is a file.
	[]string{
		".git", "*.git", "HEAD", ".gitmodules", ".gitattributes", ".gitconfig", ".hg", ".hgrc", ".svn", ".jj", ".bzr", ".sl",
		".pijul", "_darcs", "CVS", ".repo",
	},
	// Hooks that are kept with the code.
	[]string{
		".husky", ".huskyrc*", ".githooks", ".lefthook*", "lefthook.yml", "lefthook.yaml", "lefthook.toml", "lefthook.json",
		"lefthook-local.*",
		".pre-commit-config.yaml", ".pre-commit-hooks.yaml", ".overcommit.yml",
	},
	// Editors: tasks, launch configurations, extensions, scripts that are run when a directory is opened.
	[]string{
		".vscode", ".vscode-server", "*.code-workspace", ".vs", ".idea", ".fleet", ".zed", ".helix", ".nova", ".theia",
		".devcontainer", ".devcontainer.json", ".exrc", ".vimrc", ".gvimrc", ".nvimrc", ".nvim.lua", ".vim", ".emacs", ".emacs.d",
		".dir-locals.el", ".dir-locals-2.el", "*.sublime-project",
	},
	// Agents: settings, hooks, commands, servers that they start.
	[]string{
		".claude", ".claude.json", ".mcp.json", ".codex", ".agents", ".cursor", ".cursorrules", ".gemini", ".windsurf",
		".windsurfrules", ".continue", ".aider*", ".cline", ".clinerules", ".roo", ".roomodes", ".kilocode", ".amazonq",
		".augment", ".junie", ".kiro", ".opencode", "opencode.json", "opencode.jsonc", ".crush.json", ".goose",
	},
	// Continuous integration runs with the rights of a repository.
	[]string{
		".github", ".gitlab", ".gitlab-ci.yml", ".gitea", ".forgejo", ".circleci", ".travis.yml", ".buildkite", ".drone.yml",
		".woodpecker", ".woodpecker.yml", ".woodpecker.yaml", ".teamcity", ".semaphore", ".tekton", ".cirrus.yml",
		".appveyor.yml", "appveyor.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", "Jenkinsfile",
	},
	// What shells and version managers load when somebody enters a directory.
	[]string{
		".envrc", ".direnv", ".autoenv*", "mise", ".mise", ".mise.toml", ".mise.*.toml", "mise.toml", "mise.*.toml",
		".rtx.toml", ".tool-versions", ".asdfrc", ".rvmrc",
	},
	// Package managers: registries, plugins, programs that they run instead of themselves.
	[]string{
		".npmrc", ".yarnrc*", ".yarn", ".pnpmfile.cjs", ".pnpmfile.mjs", ".pnp.*", "bunfig.toml", ".bunfig.toml", ".cargo",
		".bundle", ".gemrc", ".mvn", ".condarc", "pip.conf", ".pypirc", ".sbtopts", ".jvmopts",
	},
	// Shells, and programs that run commands from their configuration.
	[]string{
		".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
		".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc", ".xprofile",
		".xinitrc", ".xsession", ".xsessionrc", "*profile.ps1", ".screenrc", ".tmux.conf", ".gdbinit", ".lldbinit", ".ripgreprc",
		".curlrc", ".wgetrc", ".netrc", ".psqlrc", ".sqliterc", ".irbrc", ".pryrc", ".pdbrc", ".pythonrc*", ".Rprofile",
		".Renviron", ".config", ".local", ".ssh", ".gnupg", ".aws", ".kube", ".docker", "LaunchAgents", "autorun.inf",
	},
)

// ProtectedNames returns the names of files and directories that other programs execute, or read commands from, often
// without asking: version control, editors, shells, agents. They are protected in directories of the host, as
// [Options].Protect describes.
func ProtectedNames() []string { return slices.Clone(protectedNames) }

// A ProtectedError means that something is protected ([Options].Protect). It is syscall.EROFS. Nothing has been
// changed.
type ProtectedError struct {
	// Path is the protected file or directory, as a clean path. An operation on a directory above it fails as well.
	Path string
}

func (e *ProtectedError) Error() string {
	return fmt.Sprintf("%s is protected, because other programs may execute it", e.Path)
}

// Unwrap makes errors.Is hold for syscall.EROFS.
func (e *ProtectedError) Unwrap() error { return syscall.EROFS }

// Protected returns the path, for packages that do not import this one.
func (e *ProtectedError) Protected() string { return e.Path }
