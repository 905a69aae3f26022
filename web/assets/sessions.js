// Sessions of a project, whose variables stay from call to call.

import {get, post, project} from "./api.js";
import {problem, prompt, say, working} from "./dialogs.js";
import {button, fill, h} from "./dom.js";
import {name, pieces, plain, size, when} from "./text.js";
import {undo} from "./undo.js";

// A Sessions lists them. When one is to be used, it calls use with its name.
export class Sessions {
  constructor(use) {
    this.use = use;
    this.place = h("div", {});
    this.element = h("details", {class: "fold"}, h("summary", {}, "Sessions"), this.place);
    this.load();
  }

  async load() {
    try {
      const {sessions} = await get("sessions", {project});
      this.element.querySelector("summary").textContent = `Sessions (${sessions.length})`;
      fill(this.place, sessions.length === 0 ?
        h("p", {class: "quiet"}, "There are none. Give a session a name above, and run code: " +
          "its variables are there for the next run, on this page, in the command, and for models.") :
        h("ul", {class: "plain-list"}, sessions.map((s) => this.row(s))));
    } catch (error) {
      fill(this.place, problem(error));
    }
  }

  row(s) {
    const label = plain(s.name);
    const trouble = h("div", {});
    const drop = button("Delete", () => working(drop, trouble, async () => {
      const {call} = await post("sessions/delete", {project, session: s.name});
      say(`The session ${label} is deleted.`, undo(call, () => this.load()));
      await this.load();
    }), {class: "plain danger", "aria-label": `Delete the session ${label}`});
    const copy = button("Copy", async () => {
      const as = await prompt(`Copy ${label}`, "Name of the copy", `${s.name}-2`, "Copy", async (text) => {
        await post("sessions/fork", {project, session: s.name, as: text});
        return {text};
      });
      if (!as) return;
      say(`${plain(as.text)} goes on from where ${label} is now.`);
      await this.load();
    }, {class: "plain", "aria-label": `Copy the session ${label}`});
    const variables = h("div", {});
    const shown = h("details", {}, h("summary", {}, "Variables"), variables);
    shown.addEventListener("toggle", async () => {
      if (!shown.open) return;
      try {
        const {states} = await get("sessions/one", {project, session: s.name});
        fill(variables, states.map(state));
      } catch (error) {
        fill(variables, problem(error));
      }
    });
    return h("li", {}, h("div", {class: "bar"}, h("b", {}, name(s.name)),
      h("span", {class: "quiet"}, s.states.map((one) => one.tool).join(", "), " · ", size(s.bytes), " · used ",
        when(s.used)),
      h("span", {class: "right"}, button("Use", () => this.use(s.name), {
        class: "plain", "aria-label": `Use the session ${label}`,
      }), copy, drop)), shown, trouble);
  }
}

// state shows the variables that a tool has left.
function state({tool, variables = [], problem: why}) {
  if (why) return h("p", {}, `${tool}: its variables cannot be shown: `, pieces(why));
  if (variables.length === 0) return h("p", {class: "quiet"}, `${tool}: no variables`);
  return h("div", {class: "wide", tabindex: "0"}, h("table", {class: "data"}, h("caption", {}, tool),
    h("tbody", {}, variables.map((v) =>
      h("tr", {}, h("th", {scope: "row"}, name(v.name)), h("td", {}, pieces(v.value)))))));
}
