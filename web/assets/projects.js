// The list of projects.

import {get, post} from "./api.js";
import {ask, button, fill, h, problem, prompt, say} from "./dom.js";
import {count, name, plain, size, when} from "./text.js";

export async function show(main) {
  const about = await get("about");
  const list = h("div", {});
  const gone = h("div", {});
  fill(main,
    h("div", {class: "bar"}, h("h1", {}, "Projects"), !about.project && button("New project", make, {class: "main"})),
    list, gone);
  await Promise.all([load(list), !about.project && loadDeleted(gone)]);

  async function make() {
    const made = await prompt("New project", "Name", "", "Make it", (text) => post("projects", {project: text}));
    if (made) location.assign("/files?" + new URLSearchParams({project: made.name}));
  }

  async function load(place) {
    const projects = [];
    let more = await get("projects", {});
    projects.push(...more.projects);
    if (projects.length === 0) {
      fill(place, h("div", {class: "empty"},
        h("p", {}, "There are no projects yet."),
        h("p", {}, "A project is a folder of files that tools work on, with a history of all changes. ",
          "Make one here, or let a model make one: ", h("code", {}, "toolrun mcp --project notes"))));
      return;
    }
    const rows = h("tbody", {}, projects.map(row));
    const table = h("table", {class: "list"},
      h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "Name"), h("th", {scope: "col", class: "number"}, "Files"),
        h("th", {scope: "col", class: "number"}, "Size"), h("th", {scope: "col"}, "Last change"), h("th", {scope: "col"}, h("span", {class: "unseen"}, "Actions")))),
      rows);
    fill(place, h("div", {class: "wide", tabindex: "0", role: "region", "aria-label": "Projects"}, table));
    if (more.next) {
      const next = button("Show more", async () => {
        more = await get("projects", {after: more.next});
        rows.append(...more.projects.map(row));
        next.hidden = !more.next;
      });
      place.append(next);
    }
  }

  function row(p) {
    const where = new URLSearchParams({project: p.name});
    const label = plain(p.name);
    return h("tr", {},
      h("th", {scope: "row"}, h("a", {href: "/files?" + where}, name(p.name))),
      p.problem ? h("td", {colspan: "3", class: "problem"}, p.problem) : [
        h("td", {class: "number"}, p.files.toLocaleString("en")),
        h("td", {class: "number", title: p.maxBytes ? `of ${size(p.maxBytes)}; history: ${size(p.historyBytes)}` : null}, size(p.bytes)),
        h("td", {}, p.changed ? when(p.changed) : h("span", {class: "quiet"}, "never"))],
      h("td", {class: "actions"},
        h("a", {href: "/api/projects/export?" + where, download: true, "aria-label": `Export ${label}`}, "Export"),
        !about.project && button("Delete", () => remove(p), {class: "plain danger", "aria-label": `Delete ${label}`})));
  }

  async function remove(p) {
    const yes = await ask(`Delete ${plain(p.name)}?`,
      `All of it goes: ${count(p.files, "file")} with ${size(p.bytes)}, the history and the settings. It can be restored for a while, as long as history is kept.`, "Delete");
    if (!yes) return;
    try {
      const {restorable} = await post("projects/delete", {project: p.name});
      say(`Deleted ${plain(p.name)}.`, restorable && {name: "Restore", do: () => restore(p.name)});
    } catch (error) {
      say(error.message);
    }
    await Promise.all([load(list), loadDeleted(gone)]);
  }

  async function restore(id) {
    try {
      await post("projects/restore", {project: id});
      say(`Restored ${plain(id)}.`);
    } catch (error) {
      say(error.message);
    }
    await Promise.all([load(list), loadDeleted(gone)]);
  }

  async function loadDeleted(place) {
    try {
      const {projects} = await get("projects/deleted");
      fill(place, projects.length > 0 && h("details", {}, h("summary", {}, `Deleted projects (${projects.length})`),
        h("ul", {class: "plain-list"}, projects.map((p) => h("li", {}, name(p.name), " ",
          h("span", {class: "quiet"}, "deleted ", when(p.deleted)), " ",
          button("Restore", () => restore(p.name), {class: "plain", "aria-label": `Restore ${plain(p.name)}`}))))));
    } catch (error) {
      fill(place, problem(error));
    }
  }
}
