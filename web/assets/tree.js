// A tree of the project's files, which is read as it is opened, and used by keys as trees are.

import {get, project} from "./api.js";
import {problem} from "./dialogs.js";
import {fill, h, onlyNew} from "./dom.js";
import {name, plain, size} from "./text.js";

// A Tree shows files at a place, and calls chosen with the file or folder that is chosen.
export class Tree {
  constructor(place, chosen) {
    this.chosen = chosen;
    this.open = new Set(["/"]);
    this.selected = "";
    this.root = h("ul", {class: "tree", role: "tree", "aria-label": "Files", onkeydown: (event) => this.key(event)});
    fill(place, this.root);
    this.update = onlyNew((read, entries) => this.draw(entries));
  }

  // load reads all open folders anew, and keeps what is chosen.
  async load() {
    const read = [];
    const entries = await this.folder("/", 1, 0, read);
    this.update(read.sort((a, b) => (a.path < b.path ? -1 : 1)), entries);
  }

  draw(entries) {
    const focused = document.activeElement?.closest?.("[role=treeitem]")?.dataset.path;
    fill(this.root, entries.length > 0 ? entries
      : h("li", {class: "empty", role: "none"}, "No files yet. Make one, drop files here, or let a tool write some."));
    this.mark();
    if (focused) this.item(focused)?.focus();
  }

  async folder(path, level, offset = 0, read = []) {
    let answer;
    try {
      answer = await get("files", {project, path, offset: offset || undefined});
    } catch (error) {
      read.push({path, problem: error.message});
      return [h("li", {role: "none"}, problem(error))];
    }
    read.push(answer);
    const items = await Promise.all(answer.files.map((file) => this.entry(file, level, read)));
    const shown = offset + answer.files.length;
    if (shown < answer.total) {
      const more = h("li", {role: "none"}, h("button", {type: "button", class: "plain", onclick: async () => {
        this.update.forget(); // there is more than load reads
        more.replaceWith(...await this.folder(path, level, shown));
        this.mark();
      }}, `${(answer.total - shown).toLocaleString("en")} more…`));
      items.push(more);
    }
    return items;
  }

  async entry(file, level, read) {
    const open = file.folder && this.open.has(file.path);
    const item = h("li", {role: "treeitem", tabindex: "-1", "aria-level": level,
      "aria-selected": "false", "data-path": file.path,
      "aria-expanded": file.folder ? String(open) : null, "aria-label": plain(file.name)});
    const indent = h("span", {class: "mark", "aria-hidden": "true"}, file.folder ? (open ? "▾" : "▸") : "");
    const row = h("div", {class: "entry", onclick: () => this.choose(item, file, true)}, indent, name(file.name),
      file.mount && h("span", {class: "badge"}, "mounted"),
      !file.folder && h("span", {class: "quiet"}, file.special ? "link or device" : size(file.size)));
    row.style.paddingLeft = `${(level - 1) * 14 + 4}px`;
    item.file = file;
    item.append(row);
    if (open) item.append(h("ul", {role: "group"}, await this.folder(file.path, level + 1, 0, read)));
    return item;
  }

  async toggle(item, open) {
    const path = item.dataset.path;
    if (open === this.open.has(path)) return;
    this.update.forget();
    item.querySelector(":scope > ul")?.remove();
    if (open) {
      this.open.add(path);
      item.append(h("ul", {role: "group"}, await this.folder(path, Number(item.getAttribute("aria-level")) + 1)));
    } else {
      this.open.delete(path);
    }
    item.setAttribute("aria-expanded", String(open));
    item.querySelector(".mark").textContent = open ? "▾" : "▸";
    this.mark();
  }

  choose(item, file, toggles) {
    item.focus();
    if (file.folder && toggles) this.toggle(item, !this.open.has(file.path));
    this.chosen(file);
  }

  // reveal opens the folders above a path.
  reveal(path) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) this.open.add(path.slice(0, at));
  }

  select(path) {
    this.selected = path;
    this.mark();
  }

  item(path) {
    return this.root.querySelector(`[data-path="${CSS.escape(path)}"]`);
  }

  items() {
    return Array.from(this.root.querySelectorAll("[role=treeitem]"));
  }

  // mark says which entry is chosen, and lets one be reached by the tab key.
  mark() {
    let reachable = null;
    for (const item of this.items()) {
      const is = item.dataset.path === this.selected;
      item.setAttribute("aria-selected", String(is));
      item.tabIndex = -1;
      if (is || !reachable) reachable = item;
    }
    if (reachable) reachable.tabIndex = 0;
  }

  key(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item || event.target !== item || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = this.items();
    const at = all.indexOf(item);
    const folder = item.hasAttribute("aria-expanded");
    const open = item.getAttribute("aria-expanded") === "true";
    const move = (to) => {
      if (!to) return;
      item.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    };
    switch (event.key) {
      case "ArrowDown": move(all[at + 1]); break;
      case "ArrowUp": move(all[at - 1]); break;
      case "Home": move(all[0]); break;
      case "End": move(all.at(-1)); break;
      case "ArrowRight":
        if (folder && !open) this.toggle(item, true);
        else if (folder) move(item.querySelector("[role=treeitem]"));
        break;
      case "ArrowLeft":
        if (folder && open) this.toggle(item, false);
        else move(item.parentElement.closest("[role=treeitem]"));
        break;
      case "Enter":
      case " ":
        this.choose(item, item.file, true);
        break;
      default:
        if (event.key.length !== 1) return;
        move([
          ...all.slice(at + 1), ...all.slice(0, at),
        ].find((other) => other.file.name.toLowerCase().startsWith(event.key.toLowerCase())));
    }
    event.preventDefault();
  }
}
