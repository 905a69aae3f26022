// The list of projects.

import {get, model, post} from "./api.js";
import {ask, problem, prompt, say} from "./dialogs.js";
import {button, fill, h} from "./dom.js";
import {count, name, plain, size, when} from "./text.js";

export async function show(main) {
  const about = await get("about");
  const list = h("div", {});
  const gone = h("div", {});
  await Promise.all([load(list), !about.project && loadDeleted(gone)]); // all at once, so that nothing moves
  fill(main,
    h("div", {class: "bar"}, h("h1", {}, "Projects"), !about.project && button("New project", make, {class: "main"})),
    list, gone);

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
    const column = (title, kind) => h("th", {scope: "col", role: "columnheader", class: kind}, title);
    const rows = h("tbody", {role: "rowgroup"}, projects.map(row));
    // with roles, for narrow windows show it as something else
    const table = h("table", {class: "list cards", role: "table"},
      h("thead", {role: "rowgroup"}, h("tr", {role: "row"}, column("Name"), column("Files", "number"),
        column("Size", "number"), column("Last change"),
        column(h("span", {class: "unseen"}, "Actions")))),
      rows);
    fill(place, h("div", {class: "wide", tabindex: "0", role: "region", "aria-label": "Projects"}, table));
    if (more.next) {
      const next = button("Show more", async () => {
        try {
          more = await get("projects", {after: more.next});
          rows.append(...more.projects.map(row));
          next.hidden = !more.next;
        } catch (error) {
          say(error.message);
        }
      });
      place.append(next);
    }
  }

  function row(p) {
    const where = new URLSearchParams({project: p.name});
    const label = plain(p.name);
    return h("tr", {role: "row"},
      h("th", {scope: "row", role: "rowheader"}, h("a", {href: (model ? "/run?" : "/files?") + where}, name(p.name))),
      p.problem ? h("td", {colspan: "3", role: "cell", class: "problem"}, p.problem) : [
        h("td", {class: "number", role: "cell", "data-label": "Files"}, p.files.toLocaleString("en")),
        h("td", {class: "number", role: "cell", title: p.maxBytes
          ? `of ${size(p.maxBytes)}; history: ${size(p.historyBytes)}` : null}, size(p.bytes)),
        h("td", {role: "cell", "data-label": "Changed"}, p.changed ? when(p.changed)
          : h("span", {class: "quiet"}, "never"))],
      h("td", {class: "actions", role: "cell"},
        !model && h("a", {href: "/api/projects/export?" + where, download: true,
          "aria-label": `Export ${label}`}, "Export"),
        !about.project && button("Delete", () => remove(p), {class: "plain danger", "aria-label": `Delete ${label}`})));
  }

  async function remove(p) {
    const yes = await ask(`Delete ${plain(p.name)}?`,
      `All of it goes: ${count(p.files, "file")} with ${size(p.bytes)}, the history and the settings. ` +
        `It can be restored for a while, as long as history is kept.`, "Delete");
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
