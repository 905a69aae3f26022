// Checkpoints of a project: all files at one moment, under a name.

import {get, post, project} from "./api.js";
import {problem, prompt, say, working} from "./dialogs.js";
import {button, fill, h} from "./dom.js";
import {count, name, plain, size, when} from "./text.js";
import {undo} from "./undo.js";

const verbs = {create: "made since", write: "changed since", remove: "deleted since"};

// checkpoints is a section that lists them, makes new ones, and brings them back. Restoring one calls done.
export function checkpoints(done) {
  const place = h("div", {});
  const box = h("details", {class: "fold"}, h("summary", {}, "Checkpoints"),
    h("div", {class: "bar"}, h("p", {class: "quiet"},
      "All files as they are at one moment, under a name. Restoring one brings all of them back."),
      button("New checkpoint", make)), place);
  load();
  return box;

  async function make() {
    const made = await prompt("New checkpoint", "Name", "", "Keep all files",
      (text) => post("checkpoints", {project, name: text}));
    if (!made) return;
    say(`Kept ${count(made.files, "file")} as ${plain(made.name)}.`);
    box.open = true;
    await load();
  }

  async function load() {
    try {
      const {checkpoints: all} = await get("checkpoints", {project});
      box.querySelector("summary").textContent = `Checkpoints (${all.length})`;
      fill(place, all.length === 0 ? h("p", {class: "quiet"}, "There are none yet.")
        : h("ul", {class: "plain-list"}, all.map(row)));
    } catch (error) {
      fill(place, problem(error));
    }
  }

  function row(c) {
    const label = plain(c.name);
    const trouble = h("div", {});
    const restore = button("Restore…", () => working(restore, trouble, () => ask(c, trouble)),
      {"aria-label": `Restore the checkpoint ${label}`});
    const drop = button("Delete", () => working(drop, trouble, async () => {
      if (drop.dataset.sure !== "yes") {
        drop.dataset.sure = "yes";
        drop.textContent = "Delete for good";
        return;
      }
      await post("checkpoints/delete", {project, name: c.name});
      say(`The checkpoint ${label} is deleted. The files stay as they are.`);
      await load();
    }), {class: "plain danger", "aria-label": `Delete the checkpoint ${label}`});
    return h("li", {}, h("div", {class: "bar"}, h("b", {}, name(c.name)),
      h("span", {class: "quiet"}, when(c.time), " · ", count(c.files, "file"), " · ", size(c.bytes)),
      c.automatic && h("span", {class: "badge"}, "before a call"), h("span", {class: "right"}, restore, " ", drop)),
        trouble);
  }

  // ask says what restoring would take back, and does it when that is wanted.
  async function ask(c, trouble) {
    const {changed, total, incomplete} = await get("checkpoints/changes", {project, name: c.name});
    if (total === 0) {
      fill(trouble, h("p", {class: "quiet"}, "Nothing has changed since."));
      return;
    }
    const go = button(`Restore ${count(total, "file")}`, () => working(go, trouble, async () => {
      const {call} = await post("checkpoints/restore", {project, name: c.name});
      say(`All files are as they were in ${plain(c.name)}.`, call && undo(call, done));
      await done?.();
    }), {class: "main"});
    fill(trouble, h("div", {class: "group"}, h("p", {}, "Restoring takes back what has happened since:"),
      h("ul", {class: "changes scroll", tabindex: "0", "aria-label": "What has changed since"},
        changed.map((f) => h("li", {class: "change"}, h("span", {class: "op wide-op"}, verbs[f.op] ?? f.op),
        f.session ? ["the variables of the session ", name(f.session)] : name(f.path),
        f.calls.length > 0 && h("span", {class: "quiet"}, "by ",
          f.calls.slice(0, 5).map((call, i) => [i > 0 && ", ", name(call)]))))),
      total > changed.length && h("p", {class: "quiet"}, `and ${(total - changed.length).toLocaleString("en")} more`),
      incomplete && h("p", {class: "quiet"}, "The history does not reach back so far, so not all calls are named."),
      h("div", {class: "buttons"}, go, button("Cancel", () => fill(trouble)))));
    go.focus();
  }
}
