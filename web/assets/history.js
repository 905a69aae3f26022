// The history of a project or a file: what each call changed, and taking it back.

import {follow, get, here, page, post, project} from "./api.js";
import {ask, askWith, problem, say, working} from "./dialogs.js";
import {button, fill, h, oneAtATime, onlyNew} from "./dom.js";
import {changeRow} from "./diff.js";
import {checkpoints} from "./checkpoints.js";
import {count, name, plain, size, when} from "./text.js";
import {redoButton, undoButton} from "./undo.js";

export async function show(main) {
  const path = here("path"), removed = here("deleted") ? "true" : "";
  const place = h("div", {}), outcome = h("div", {});
  const purges = path && !removed && (await get("about")).purges;
  let shown = 200;
  const update = onlyNew(draw);
  const load = oneAtATime(read);
  fill(main, h("div", {class: "bar"}, h("h1", {}, removed ? "Deleted files" : "History", path && [" of ", name(path)]),
    (path || removed) && h("a", {href: page("history")}, "All changes"),
    !removed && h("a", {href: page("history", {deleted: "yes", path})}, "Deleted files"),
    purges && button("Purge", purge, {
      class: "plain danger", "aria-label": `Purge the history of ${plain(path)}`,
      title: "Remove all versions that the history keeps, for good",
    })),
    outcome, !path && !removed && checkpoints(load), place);
  await load();
  follow("events", {project}, {changed: load});

  async function read() {
    try {
      const now = await get("history", {project, path, removed, limit: shown});
      // What somebody looks at stays as it is until they close it.
      if (!place.querySelector("[aria-expanded=true]")) update(now);
    } catch (error) {
      update.forget();
      fill(place, problem(error));
    }
  }

  async function purge(event) {
    const also = await askWith(`Purge the history of ${plain(path)}?`,
      "All versions that the history keeps are removed for good: nobody can bring them back, and undo leaves them " +
        "out. The history says who has done so. Copies elsewhere stay.", "Delete what is there now, too", "Purge");
    if (also === undefined) return;
    await working(event.target, outcome, async () => {
      const done = await post("history/purge", {project, path, delete: also});
      fill(outcome, h("div", {class: "warning", role: "status"},
        h("p", {}, `Purged ${count(done.versions, "version")} (${size(done.bytes)})`,
          done.deleted && ", and deleted it", ". ",
          done.gone && ["The bytes are gone at the latest at ", new Date(done.gone).toLocaleString(), ". "],
          "Not covered:"),
        h("ul", {}, done.others.map((other) => h("li", {}, "the history of ",
          h("a", {href: page("history", {path: other})}, name(other)), ", which may have the same content")),
        done.notCovered.map((what) => h("li", {}, what)))));
      await load();
    });
  }

  function draw({changes, more}) {
    if (changes.length === 0) {
      fill(place, h("div", {class: "empty"}, removed ? "No deleted files can be restored."
        : "Nothing has changed yet. Each change of a file is listed here, with the call that made it."));
      return;
    }
    const groups = [];
    const undone = new Map(); // by call: the latest that was done with it decides
    for (const change of changes) {
      const about = change.undoes || change.redoes;
      if (about && !undone.has(about)) undone.set(about, Boolean(change.undoes));
      const id = change.call || change.undoes && "undoes " + change.undoes || "#" + change.id;
      if (groups.at(-1)?.id === id) groups.at(-1).changes.push(change);
      else groups.push({
        id, call: change.call, undoes: change.undoes, redoes: change.redoes, time: change.time, changes: [change],
      });
    }
    fill(place, groups.map((g) => group(g, undone)), more && button("Show older changes", () => {
      shown = Math.min(2000, shown * 3);
      return load();
    }));
  }

  function group(g, undone) {
    const trouble = h("div", {});
    const title = g.undoes ? ["Undone: ", name(g.undoes)] : g.redoes ? ["Done again: ", name(g.redoes)]
      : g.call ? name(g.call) : "A change without a call";
    const unit = g.call || "#" + g.changes[0].id;
    const undo = !g.undoes && !removed && !g.changes.every(spent) &&
      (undone.get(unit) ? redoButton : undoButton)(unit, trouble, load);
    return h("section", {class: "group", "aria-label": plain(g.call || "Change")},
      h("div", {class: "bar"}, h("h2", {}, g.call ? h("a", {href: page("calls", {call: g.call})}, title) : title),
        h("span", {class: "quiet"}, when(g.time)),
        undone.get(unit) && h("span", {class: "badge"}, "undone"), h("span", {class: "right"}, undo)),
      trouble,
      h("ul", {class: "changes"}, g.changes.filter((change) => change.op !== "undone").map((change) => changeRow(change,
        change.op !== "undone" && change.path && change.op !== "mkdir" && !spent(change) &&
          button("Restore", (event) => working(event.target, trouble, async () => {
          if (change.op === "create" && !await ask(`Delete ${plain(change.path)}?`,
            "It did not exist before this change. Its present content stays in the history.", "Delete")) return;
          const {did} = await post("history/restore",
            {project, change: change.id, path: removed && change.path});
          say(did.charAt(0).toUpperCase() + did.slice(1) + ".");
        }), {
          class: "plain", title: "Put it back as it was before this change",
            "aria-label": `Restore ${plain(change.path)} as it was before`,
        })))));
  }
}

// spent reports whether there is nothing to bring back, for it has been purged.
function spent(change) {
  return change.op === "purged" || change.purged > 0 && !change.kept && change.op !== "rename";
}
