// MCP servers and modules.

import {get} from "./api.js";
import {problem} from "./dialogs.js";
import {fill, h} from "./dom.js";
import {name, pieces} from "./text.js";

export async function show(main) {
  const servers = h("div", {});
  const modules = h("div", {});
  await Promise.all([loadServers(), loadModules()]); // all at once, so that nothing moves
  fill(main, h("h1", {}, "Servers and modules"),
    h("h2", {}, "MCP servers"), servers, h("h2", {}, "Modules"), modules);
  setInterval(() => document.visibilityState === "visible" && loadServers(), 5000);

  async function loadServers() {
    try {
      const {servers: all} = await get("servers");
      fill(servers, all.length === 0 ? h("div", {class: "empty"}, "No servers. Their tools are added with ",
        h("code", {}, "toolrun serve --mcp-config FILE"), ".") :
        h("div", {class: "wide"}, h("table", {class: "list"}, h("thead", {}, h("tr", {}, [
          "Server", "State", "Tools", "Problem",
        ].map((t) => h("th", {scope: "col", class: t === "Tools" ? "number" : null}, t)))),
          h("tbody", {}, all.map((s) => h("tr", {}, h("th", {scope: "row"}, name(s.name)),
            h("td", {}, s.connected ? h("span", {class: "state-ok"}, "connected")
              : h("span", {class: "state-failed"}, "not connected")),
            h("td", {class: "number"}, String(s.tools)),
            // texts of servers are data
            h("td", {class: "name"},
              pieces(s.problem ?? (s.missing ? `It has no tools named ${s.missing.join(", ")}.` : "")))))))));
    } catch (error) {
      fill(servers, problem(error));
    }
  }

  async function loadModules() {
    try {
      const {modules: all, problem: trouble} = await get("modules");
      fill(modules, trouble && problem(new Error(trouble)), all.length === 0
        ? h("div", {class: "empty"}, "No modules. A program that was compiled to WebAssembly becomes a tool with ",
        h("code", {}, "toolrun module add FILE"), ", Python and the shell with ",
          h("code", {}, "toolrun module add python"), " and ", h("code", {}, "toolrun module add shell"), ".") :
        h("div", {class: "wide"}, h("table", {class: "list"}, h("thead", {},
          h("tr", {}, ["Module", "What it is", "May use", "From"].map((t) => h("th", {scope: "col"}, t)))),
          h("tbody", {}, all.map((m) => h("tr", {}, h("th", {scope: "row"}, name(m.title || m.name)),
            h("td", {}, m.language ? "a language" : "a tool"),
            h("td", {}, pieces(m.grants, true)), h("td", {class: "name"}, pieces(m.from ?? "", true))))))));
    } catch (error) {
      fill(modules, problem(error));
    }
  }
}
