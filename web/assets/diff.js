// Differences of texts, side by side.

import {get, model, project} from "./api.js";
import {problem} from "./dialogs.js";
import {button, fill, h} from "./dom.js";
import {count, name, pieces, plain} from "./text.js";

const maxRows = 2000;

// sideBySide shows a unified diff.
export function sideBySide(text) {
  const rows = [];
  let was = [], is = [], a, b, last = null; // without a heading, lines have no numbers
  const flush = () => {
    for (let i = 0; i < Math.max(was.length, is.length); i++) rows.push(row(was[i], is[i], true));
    was = [];
    is = [];
  };
  for (const line of text.split("\n")) {
    const heading = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (heading) {
      flush();
      [a, b] = [Number(heading[1]), Number(heading[2])];
      rows.push(h("div", {class: "gap", role: "row"}, h("span", {role: "cell"}, `line ${Math.max(b, 1)}`)));
    } else if (line.startsWith("-")) {
      was.push(last = {n: a++, text: line.slice(1)});
    } else if (line.startsWith("+")) {
      is.push(last = {n: b++, text: line.slice(1)});
    } else if (line.startsWith("\\")) {
      if (last) last.open = true;
    } else if (line.startsWith(" ")) {
      flush();
      last = null;
      rows.push(row({n: a++, text: line.slice(1)}, {n: b++, text: line.slice(1)}, false));
    }
  }
  flush();
  const box = h("div", {class: "diff", role: "table", "aria-label": "What changed", tabindex: "0"},
    rows.slice(0, maxRows));
  if (rows.length > maxRows) {
    const rest = rows.slice(maxRows);
    const more = button(`Show ${count(rest.length, "more line")}`, () => more.replaceWith(...rest));
    box.append(more);
  }
  return box;
}

function row(was, is, differs) {
  const cell = (side, of) => h("div", {class: `cell ${side ? (differs ? of : "") : "none"}`, role: "cell"}, side && [
    h("span", {class: "n"}, side.n >= 0 ? String(side.n) : ""),
    h("span", {class: "sign"}, differs ? (of === "was" ? "−" : "+") : " "),
    h("code", {}, pieces(side.text)), side.open && h("span", {class: "quiet open"}, "\u00a0(no end of line)")]);
  return h("div", {class: differs ? "row" : "row same", role: "row"}, cell(was, "was"), cell(is, "is"));
}

const verbs = {
  create: "created", write: "changed", mkdir: "made", remove: "deleted", rename: "renamed", undone: "undone",
  purged: "purged",
};

// changeRow is a change of a file, whose difference it shows when it is asked for.
export function changeRow(change, ...more) {
  const place = h("div", {});
  const compares = ["create", "write", "remove"].includes(change.op);
  const toggle = compares && !model && button("Show", async () => {
    if (toggle.getAttribute("aria-expanded") === "true") {
      fill(place);
      toggle.setAttribute("aria-expanded", "false");
      toggle.textContent = "Show";
      return;
    }
    toggle.setAttribute("aria-expanded", "true"); // at once: what somebody looks at is not drawn anew
    toggle.textContent = "Hide";
    try {
      const {diff, note} = await get("history/diff", {project, change: change.id});
      if (toggle.getAttribute("aria-expanded") !== "true") return;
      fill(place, note ? h("p", {class: "quiet"}, note) : diff ? sideBySide(diff)
        : h("p", {class: "quiet"}, "nothing differs"));
    } catch (error) {
      fill(place, problem(error));
    }
  }, {class: "plain", "aria-expanded": "false", "aria-label": `Show what changed in ${plain(change.path)}`});
  const path = change.op === "undone" ? [] : change.to ? [name(change.path), " → ", name(change.to)]
    : [name(change.path)];
  return h("li", {}, h("div", {class: "change"}, h("span", {class: "op"}, verbs[change.op] ?? change.op),
    h("span", {}, path, change.by && [" by ", name(change.by)]),
    change.purged && h("span", {class: "badge"}, change.kept ? "partly purged" : "purged"), toggle, more), place);
}
