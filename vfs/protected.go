package vfs

import (
	"fmt"
	"slices"
	"syscall"
)

// protectedNames is the list of [ProtectedNames]. docs/protected.md has it as well, in this order. A name belongs here
// if some program executes the file, or runs what the file names, and nobody has asked for just that: because a
// directory is opened or entered, a file is saved, checked, formatted or committed, a prompt is started, or tests are
// looked for. What a person runs by its name, such as a Makefile, does not.
var protectedNames = slices.Concat(
	// Version control: hooks, filters, monitors and pagers are commands in its configuration. A directory with a file
	// named HEAD can be taken for a repository without a working tree, so that is protected if it is a file.
	[]string{
		".git", "*.git", "HEAD", ".gitmodules", ".gitattributes", ".gitconfig", ".hg",
		".hgrc", ".svn", ".jj", ".bzr", ".sl",
		".pijul", "_darcs", "CVS", ".repo", ".fossil-settings", "_FOSSIL_", ".fslckout",
		".p4config", ".arcconfig", ".arclint",
	},
	// Hooks that are kept with the code.
	[]string{
		".husky", ".huskyrc*", ".cargo-husky", ".rusty-hook.toml", ".githooks", ".git-hooks",
		".lefthook*", "lefthook.*",
		"lefthook-local.*", ".pre-commit-config.*", ".pre-commit-hooks.*", "prek.toml", ".overcommit.yml",
		".simple-git-hooks.*", "simple-git-hooks.*", ".lintstagedrc*", "lint-staged.config.*", ".commitlintrc*",
		"commitlint.config.*", ".gitlint", "captainhook.json", "grumphp.yml*",
	},
	// Editors: tasks, launch configurations, extensions, scripts that are run when a directory is opened.
	[]string{
		".vscode", ".vscode-server", "*.code-workspace", ".vs", ".idea", "*.iml",
		"*.ipr", "*.iws", ".run", ".fleet", ".zed",
		".helix", ".nova", ".theia", ".project", ".settings", ".externalToolBuilders", "nbproject",
		".devcontainer", ".devcontainer.json", ".exrc", ".vimrc", ".gvimrc", ".nvimrc",
		".lvimrc", ".nvim.lua", ".lazy.lua",
		".vim", ".vimspector.json", ".projections.json", ".ycm_extra_conf.py", ".neoconf.json",
		"neoconf.json", ".emacs",
		".emacs.d", ".spacemacs", ".dir-locals.el", ".dir-locals-2.el", "*.sublime-project", "*.sublime-workspace",
	},
	// Machines in a cloud that prepare themselves for a directory.
	[]string{
		".gitpod", ".gitpod.yml", ".gitpod.Dockerfile", ".replit", "replit.nix",
		".idx", ".codesandbox", ".stackblitzrc",
		"devfile.yaml", ".devfile.yaml",
	},
	// Agents: settings, hooks, commands, servers that they start.
	[]string{
		".claude", ".claude.json", ".mcp.json", ".mcp", "mcp.json", ".codex", ".agents",
		".cursor", ".cursorrules", ".gemini",
		".windsurf", ".windsurfrules", ".codeium", ".continue", ".continuerc.json", ".aider*", ".cline", ".clinerules",
		".roo", ".roomodes", ".kilocode", ".amazonq", ".augment", ".junie", ".kiro",
		".trae", ".opencode", "opencode.json",
		"opencode.jsonc", ".crush", ".crush.json", "crush.json", ".goose", ".qwen", ".factory", ".warp", ".rovodev",
		".codebuddy", ".lingma", ".copilot", ".openhands", ".tabnine", ".qodo", ".antigravity",
		".gptme.toml", "gptme.toml",
	},
	// Continuous integration runs with the rights of a repository.
	[]string{
		".github", ".gitlab", ".gitlab-ci.*", ".gitea", ".forgejo", ".circleci",
		"circle.yml", ".travis.yml", ".buildkite",
		".drone.*", ".woodpecker", ".woodpecker.*", ".teamcity", ".semaphore", ".tekton", ".cirrus.*", ".appveyor.yml",
		"appveyor.yml", "azure-pipelines*.yml", "azure-pipelines*.yaml", ".azure-pipelines", "bitbucket-pipelines.*",
		"Jenkinsfile*", "cloudbuild.y*ml", "buildspec.y*ml", ".build.yml", ".builds", ".zuul.*", "zuul.yaml", "zuul.d",
		".vela.y*ml", "codefresh.yml", "wercker.yml", "screwdriver.yaml", ".harness", ".readthedocs.*", ".releaserc*",
		"release.config.*",
	},
	// What shells and version managers load when somebody enters a directory. A rust-toolchain can name a directory of
	// programs.
	[]string{
		".envrc", ".envrc.*", ".direnv", ".autoenv*", "mise", ".mise", ".mise.toml", ".mise.*.toml", "mise.toml",
		"mise.*.toml", ".rtx.toml", ".tool-versions", ".asdfrc", ".rvmrc", ".prototools", ".pkgx.y*ml", "pkgx.y*ml",
		"rust-toolchain", "rust-toolchain.toml",
	},
	// Package managers and build tools: registries, plugins, programs that they run instead of themselves. Bazel runs a
	// file tools/bazel.
	[]string{
		".npmrc", ".yarnrc*", ".yarn", ".pnpmfile.*", "pnpm-workspace.yaml", ".pnp.*",
		"bunfig.toml", ".bunfig.toml", ".cargo",
		".bundle", ".gemrc", ".mvn", ".gradle", "gradle-wrapper.*", ".condarc", "pip.conf", "pip.ini",
		"uv.toml", ".pdm.toml", "pdm.toml", ".pypirc", ".pydistutils.cfg", ".sbtopts", ".jvmopts", ".bsp", ".swiftpm",
		"nuget.config", ".bazelrc", "*.bazelrc", ".bazelrc.*", ".bazeliskrc", ".bazelversion", "bazel",
		".buckconfig*", ".plzconfig*", ".pants.rc", ".terraform", "ansible.cfg", ".ansible.cfg",
	},
	// What linters, formatters, bundlers and test runners execute, which editors start when a file is opened or saved:
	// settings that are code, or name plugins.
	[]string{
		"eslint.config.*", ".eslintrc*", "prettier.config.*", ".prettierrc*", "stylelint.config.*", ".stylelintrc*",
		".oxlintrc*", "xo.config.*", ".xo-config*", ".markdownlint-cli2.*", "cspell.*", ".cspell.*",
		"vite.config.*", "vitest.config.*", "vitest.workspace.*", "jest.config.*",
		".jestrc*", "babel.config.*", ".babelrc*",
		".swcrc", "tailwind.config.*", "postcss.config.*", ".postcssrc*", "uno.config.*", "webpack.config.*",
		"rollup.config.*", "rspack.config.*", "rsbuild.config.*", "tsup.config.*", "next.config.*", "nuxt.config.*",
		"svelte.config.*", "astro.config.*", "vue.config.*", "metro.config.*", ".mocharc*",
		"ava.config.*", "karma.conf.*",
		"playwright.config.*", "cypress.config.*", ".graphqlrc*", "graphql.config.*", "svgo.config.*",
		".pylintrc*", "pylintrc", "mypy.ini", ".mypy.ini", ".flake8", ".coveragerc", ".rubocop*.yml", ".solargraph.yml",
		".simplecov", ".golangci.*", "rust-analyzer.toml", ".php-cs-fixer*.php",
		".php_cs*", "phpstan*.neon*", "psalm.xml*",
		".formatter.exs", ".credo.exs", ".luacheckrc", ".luarc.json*", ".busted", "hie.yaml", ".merlin", ".lsp",
		"rebar.config.script", "erlang_ls.config", "erlang_ls.yaml", "omnisharp.json",
	},
	// What Python loads whenever it starts, such as the *.pth of its packages, or looks for tests; and virtual
	// environments: a file activate, and what it is called for other shells.
	[]string{
		"conftest.py", "sitecustomize*", "usercustomize*", "site-packages", "dist-packages",
		"pyvenv.cfg", "tox.ini", "noxfile.py",
		"activate", "activate.sh", "activate.bash", "activate.zsh", "activate.fish", "activate.csh", "activate.nu",
		"activate.xsh", "activate.ps1", "activate.bat", "activate.cmd", "activate.r",
		"activate_this.py", "activate-hermit*",
		"deactivate.bat", "deactivate.nu",
	},
	// Prompts of languages, debuggers and databases.
	[]string{
		".ghci", ".ocamlinit", ".gdbinit*", ".lldbinit*", ".radare2rc", ".psqlrc",
		".sqliterc", ".duckdbrc", ".mongorc.js",
		".mongoshrc.*", ".my.cnf", ".irbrc", ".pryrc", ".rspec", ".rdbgrc", ".byebugrc",
		".pdbrc*", ".pythonrc*", ".ipython",
		".jupyter", "ipython*_config.py", "jupyter*_config.*", ".iex.exs", ".erlang",
		".nrepl.edn", ".sbclrc", ".swiplrc",
		".proverc", ".octaverc", "startup.m", ".gnuplot", ".Rprofile", ".Renviron", ".RData",
	},
	// Shells, and programs that run commands from their configuration.
	[]string{
		".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
		".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc", ".xprofile",
		".xinitrc", ".xsession", ".xsessionrc", "*profile.ps1", ".screenrc", ".tmux.conf",
		".ripgreprc", ".ackrc", ".curlrc",
		".wgetrc", ".netrc", "_netrc", ".mailcap", ".config", ".local", ".ssh", ".gnupg", ".aws", ".kube", ".docker",
		"LaunchAgents", "autorun.inf", "desktop.ini",
	},
)

// ProtectedNames returns the names of files and directories that other programs execute, or read commands from, often
// without asking: version control, editors, shells, agents, linters. They are protected in directories of the host, as
// [Options].Protect describes, with other names that some systems take for them, such as ".git." and "git~1". HEAD,
// activate and bazel are protected as files only.
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
