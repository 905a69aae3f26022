package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"strings"
)

// An object is one of JSON, whose names are written in order.
type object map[string]any

func jsonOf(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(value)
	return out.Bytes(), err
}

func (d *dist) addJSON(name string, value any) error {
	data, err := jsonOf(value)
	if err != nil {
		return err
	}
	return d.add(name, data)
}

// launcher starts the binary of the machine's platform.
//
//go:embed toolrun.js
var launcher []byte

// npmPackage is the name of a platform's package.
func npmPackage(p platform) string { return npmScope + "/" + p.nodeOS + "-" + p.nodeArch }

// npmPackages writes a package for each platform and one that depends on all of them, of which npm installs the one
// that fits. No package runs anything when it is installed.
func npmPackages(r *release, d *dist) error {
	optional := object{}
	for _, b := range r.builds {
		optional[npmPackage(b.platform)] = r.version
		manifest := r.npmManifest(npmPackage(b.platform))
		manifest["os"], manifest["cpu"] = []string{b.nodeOS}, []string{b.nodeArch}
		manifest["preferUnplugged"] = true // Yarn's archives cannot run it
		if err := r.addNPM(d, manifest, r.tree(b, "npm")); err != nil {
			return err
		}
	}
	manifest := r.npmManifest("toolrun")
	manifest["bin"] = object{"toolrun": "bin/toolrun.js"}
	manifest["optionalDependencies"] = optional
	manifest["mcpName"] = serverName // by which the registry of MCP knows whose it is
	files := []file{{name: "bin/toolrun.js", content: launcher, mode: 0o755}}
	for _, f := range r.common {
		if name := strings.TrimPrefix(f.name, "share/doc/toolrun/"); name == "README.md" || name == "LICENSE" {
			files = append(files, file{name: name, content: f.content})
		}
	}
	return r.addNPM(d, manifest, files)
}

func (r *release) npmManifest(name string) object {
	return object{
		"name": name, "version": r.version, "description": description, "license": "Apache-2.0", "author": vendor,
		"homepage": repository, "bugs": repository + "/issues",
		"repository": object{"type": "git", "url": "git+" + repository + ".git"},
		"engines":    object{"node": ">=18"},
		"keywords":   []string{"mcp", "sandbox", "agents", "tools", "webassembly"},
	}
}

func (r *release) addNPM(d *dist, manifest object, files []file) error {
	text, err := jsonOf(manifest)
	if err != nil {
		return err
	}
	files = append([]file{{name: "package.json", content: text}}, files...)
	data, err := tarGzip(below("package/", files), r.time)
	if err != nil {
		return err
	}
	name := strings.NewReplacer("@", "", "/", "-").Replace(manifest["name"].(string)) // as npm pack calls it
	return d.add("npm/"+name+"-"+r.version+".tgz", data)
}

// bundle is the name of a platform's bundle.
func (r *release) bundle(p platform) string { return r.name(p) + ".mcpb" }

// bundles writes one MCP bundle for each platform, with which Claude Desktop and others install the server.
func bundles(r *release, d *dist) error {
	for _, b := range r.builds {
		program := "bin/" + b.program()
		manifest, err := jsonOf(object{
			"manifest_version": "0.3",
			"name":             "toolrun",
			"display_name":     "toolrun",
			"version":          r.version,
			"description":      description,
			"author":           object{"name": vendor, "url": repository},
			"repository":       object{"type": "git", "url": repository},
			"homepage":         repository,
			"documentation":    repository + "/blob/v" + r.version + "/docs/mcp.md",
			"support":          repository + "/issues",
			"license":          "Apache-2.0",
			"keywords":         []string{"sandbox", "code", "files", "undo"},
			"tools_generated":  true,
			"server": object{"type": "binary", "entry_point": program, "mcp_config": object{
				"command": "${__dirname}/" + program,
				"args": []string{"mcp", "--root", "${user_config.directory}", "--read-only=${user_config.read_only}",
					"--ask", "${user_config.ask}"},
				"env": object{},
			}},
			"user_config": object{
				"directory": object{"type": "directory", "title": "Directory", "required": true,
					"description": "Tools and code see the files in this directory, and nothing outside it."},
				"read_only": object{"type": "boolean", "title": "Read only", "default": false,
					"description": "Let nothing change the directory."},
				"ask": object{"type": "string", "title": "Ask before", "default": "destructive",
					"description": "Calls that you approve: all, writes, destructive, external, or names of tools."},
			},
			"compatibility": object{"platforms": []string{b.nodeOS}},
		})
		if err != nil {
			return err
		}
		files := append([]file{{name: "manifest.json", content: manifest}}, r.tree(b, "bundle")...)
		data, err := zipOf(files, r.time)
		if err != nil {
			return err
		}
		if err := d.add(r.bundle(b.platform), data); err != nil {
			return err
		}
	}
	return nil
}

// registrySchema is the form of server.json.
const registrySchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// mcpRegistry writes server.json, by which the registry of MCP lists the server.
func mcpRegistry(r *release, d *dist) error {
	stdio := object{"type": "stdio"}
	arguments := []object{
		{"type": "positional", "value": "mcp"},
		{"type": "named", "name": "--root", "format": "filepath", "isRequired": true,
			"description": "Tools and code see the files in this directory, and nothing outside it."},
		{"type": "named", "name": "--ask", "default": "destructive",
			"description": "Calls that a person must approve: all, writes, destructive, external, or names of tools."},
	}
	packages := []object{{"registryType": "npm", "registryBaseUrl": "https://registry.npmjs.org",
		"identifier": "toolrun", "version": r.version, "runtimeHint": "npx", "transport": stdio,
		"packageArguments": arguments}}
	for _, b := range r.builds {
		name := r.bundle(b.platform)
		packages = append(packages, object{"registryType": "mcpb", "identifier": r.url(name),
			"fileSha256": d.sums[name], "transport": stdio})
	}
	packages = append(packages, object{"registryType": "oci", "identifier": image + ":" + r.version,
		"runtimeHint": "docker", "transport": stdio})
	return d.addJSON("server.json", object{
		"$schema":     registrySchema,
		"name":        serverName,
		"title":       "toolrun",
		"description": description,
		"version":     r.version,
		"websiteUrl":  repository,
		"repository":  object{"url": repository, "source": "github"},
		"packages":    packages,
	})
}

// clients writes what makes clients start the server by npx: a plugin for Claude Code with its marketplace, and entries
// for the files of Codex and VS Code. Those that have a directory open give it to the server.
func clients(r *release, d *dist) error {
	start := func(flags ...string) []string {
		return append([]string{"-y", "toolrun@" + r.version, "mcp"}, append(flags, "--ask", "destructive")...)
	}
	for name, value := range map[string]object{
		"claude-code/.claude-plugin/marketplace.json": {
			"name": "toolrun", "owner": object{"name": vendor},
			"plugins": []object{{"name": "toolrun", "source": "./plugin", "description": description,
				"version": r.version}},
		},
		"claude-code/plugin/.claude-plugin/plugin.json": {
			"name": "toolrun", "version": r.version, "description": description, "author": object{"name": vendor},
			"homepage": repository, "repository": repository, "license": "Apache-2.0",
			"keywords": []string{"mcp", "sandbox"},
		},
		"claude-code/plugin/.mcp.json": {"mcpServers": object{"toolrun": object{
			"command": "npx", "args": start("--root", "${CLAUDE_PROJECT_DIR}")}}},
		"vscode/mcp.json": {"servers": object{"toolrun": object{
			"type": "stdio", "command": "npx", "args": start("--root", "${workspaceFolder}")}}},
	} {
		if err := d.addJSON("clients/"+name, value); err != nil {
			return err
		}
	}
	arguments, err := json.Marshal(start("--project", "codex")) // strings of JSON are strings of TOML
	if err != nil {
		return err
	}
	return d.add("clients/codex/config.toml",
		[]byte("[mcp_servers.toolrun]\ncommand = \"npx\"\nargs = "+string(arguments)+"\n"))
}
