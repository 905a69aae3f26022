// The files of a project: a tree, a viewer and an editor.

import {address, follow, get, go, here, model, page, post, project, upload} from "./api.js";
import {ask, problem, prompt, say, working} from "./dialogs.js";
import {button, fill, h} from "./dom.js";
import {sideBySide} from "./diff.js";
import {csv} from "./csv.js";
import {markdown} from "./markdown.js";
import {count, hiddenIn, name, pieces, plain, size, when} from "./text.js";
import {Tree} from "./tree.js";
import {undo} from "./undo.js";

let tree, viewer, trouble, current = null, dirty = false, folder = "/";
let wanted = "", asked = 0; // the file that is to be shown, and how often one was asked for

const editing = () => viewer.querySelector("#text") !== null;
const parent = (path) => path.slice(0, path.lastIndexOf("/")) || "/";
const join = (dir, file) => (dir === "/" ? "" : dir) + "/" + file;
const content = (path, change) => "/api/" + address("files/content", {project, path, change});

export async function show(main) {
  const side = h("div", {});
  trouble = h("div", {});
  viewer = h("section", {"aria-label": "File"});
  const results = h("div", {});
  const picker = h("input", {type: "file", multiple: true, hidden: true, onchange: () => put(picker.files).then(() => {
    picker.value = "";
  })});
  const query = h("input", {
    type: "search", id: "search", placeholder: "Search in files", "aria-label": "Search in files",
  });
  const panes = h("div", {class: "panes"},
    h("div", {class: "side", ondragover: drag, ondragleave: drag, ondrop: drop},
      !model && h("form", {class: "bar", role: "search", onsubmit: (event) => {
        event.preventDefault();
        search(query.value, results, side);
      }}, query, h("button", {}, "Search")),
      results, side),
    h("div", {}, trouble, viewer));
  fill(main,
    h("div", {class: "bar"}, h("h1", {}, "Files"), !model && [
      button("New file", newFile), button("New folder", newFolder), button("Upload", () => picker.click()), picker,
    ]),
    panes);
  tree = new Tree(side, (file) => {
    folder = file.folder ? file.path : parent(file.path);
    if (!file.folder) choose(file.path);
  });
  const path = here("path");
  if (path) tree.reveal(path);
  await tree.load();
  if (path) await open(path, Number(here("line")) || 0);
  else welcome();
  addEventListener("popstate", back);
  addEventListener("beforeunload", (event) => dirty && event.preventDefault());
  follow("events", {project}, {changed: async () => {
    await tree.load();
    if (wanted && !editing()) await open(wanted, 0, true); // saving will find out
  }});
}

function welcome() {
  current = null;
  wanted = "";
  asked++;
  fill(viewer, h("p", {class: "quiet"}, "Choose a file. What a model changes shows up here at once; ",
    !model && [h("a", {href: page("history")}, "History"), " has all changes, and takes them back."]));
}

// leave returns whether the editor can be closed: whoever has written something in it is asked.
async function leave() {
  if (dirty && !await ask("Leave without saving?", "What you have written in the editor is lost then.", "Leave"))
    return false;
  dirty = false;
  return true;
}

async function choose(path, line = 0) {
  if (!await leave()) return;
  go({path});
  await open(path, line);
}

// back is for the buttons of the browser.
async function back() {
  const path = here("path");
  if (!await leave()) go({path: wanted});
  else if (path) await open(path, 0);
  else welcome();
}

// open shows a file. A quiet one stays where it is if nothing has changed.
async function open(path, line, quiet) {
  if (!quiet) {
    wanted = path;
    asked++;
  }
  const mine = asked; // another file can be asked for before this one comes
  folder = parent(path);
  tree.select(path);
  try {
    const file = await get("files/text", {project, path});
    if (mine !== asked || quiet && editing()) return;
    if (quiet && current && current.path === file.path && current.time === file.time &&
      current.size === file.size && current.version === file.version) return;
    current = file;
    fill(trouble);
    view(file);
    if (line > 1) await part(file, 0, line);
  } catch (error) {
    if (mine !== asked) return;
    current = null;
    fill(viewer);
    fill(trouble, error.code === "not_found" ? h("div", {class: "empty"},
      h("p", {}, name(path), " is not there any more."),
        h("p", {}, h("a", {href: page("history", {path})}, "Its history"), " can bring it back.")) : problem(error));
  }
}

function head(file, ...more) {
  const label = plain(file.path);
  return h("div", {class: "filehead"}, h("h2", {}, name(file.path)),
    h("span", {class: "quiet"}, size(file.size), " · ", when(file.time), file.encoding && ` · ${file.encoding}`),
    h("div", {class: "bar"}, more,
      !model && button("Rename", () => rename(file.path)),
      h("a", {class: "button", href: content(file.path), download: true}, "Download"),
      !model && [h("a", {class: "button", href: page("history", {path: file.path})}, "History"),
        button("Delete", () => remove(file.path), {class: "danger", "aria-label": `Delete ${label}`})]));
}

const isImage = (file) => /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/.test(file.mime) || /\.svg$/i.test(file.path);

function view(file) {
  const edit = file.version && !model && button("Edit", () => editor(file), {class: "main"});
  const body = h("div", {class: "file", tabindex: "0", role: "region", "aria-label": "Content"});
  const ways = [];
  if (isImage(file)) ways.push([
    "Image", () => fill(body, h("img", {src: content(file.path), alt: `The image ${plain(file.path)}`})),
  ]);
  if (/\.(md|markdown)$/i.test(file.path) && !file.binary)
    ways.push(["Rendered", () => whole(file, body, (text) => h("div", {class: "rendered"}, markdown(text)))]);
  if (/\.(csv|tsv)$/i.test(file.path) && !file.binary) ways.push(["Table", () => whole(file, body, table)]);
  if (!file.binary) ways.push(["Text", () => lines(file, body)]);
  if (ways.length === 0) {
    ways.push(["", () => fill(body, h("div", {class: "empty"}, file.mime === "application/pdf" ?
      "A PDF. Download it to look at it: programs for PDFs do not run inside of this page."
        : `This is not text (${file.mime}). Download it to use it.`))]);
  }
  const choice = h("div", {class: "bar", role: "group", "aria-label": "Show as"});
  const set = (i) => {
    choice.querySelectorAll("button").forEach((b, at) => b.setAttribute("aria-pressed", String(at === i)));
    ways[i][1]();
  };
  if (ways.length > 1) fill(choice, ways.map(([title], i) => button(title, () => set(i))));
  fill(viewer, head(file, edit), ways.length > 1 && choice, warnings(file.text ?? ""), body);
  set(0);
}

function warnings(text) {
  const found = hiddenIn(text);
  if (found.size === 0) return null;
  return h("p", {class: "warning"}, "There are characters here that are not seen: ",
    Array.from(found, ([c, n]) => (n > 1 ? `${c} (${n})` : c)).slice(0, 10).join(", "), ".");
}

// whole shows all of a small file, and the beginning of a large one.
function whole(file, body, make) {
  fill(body, file.end < file.size && h("p", {class: "warning"},
    `The first ${size(file.end)} of ${size(file.size)}. The text shows all of it, in parts.`), make(file.text));
}

function table(text) {
  const {rows, more} = csv(text, 1001);
  if (rows.length === 0) return h("p", {class: "empty"}, "No rows.");
  const [first, ...rest] = rows;
  return [h("table", {class: "data"},
    h("thead", {}, h("tr", {}, first.map((cell) => h("th", {scope: "col"}, pieces(cell))))),
    h("tbody", {}, rest.map((row) => h("tr", {}, row.map((cell) => h("td", {}, pieces(cell))))))),
    more && h("p", {class: "quiet"}, "There are more rows: the text has them all.")];
}

// lines shows a part of a text with the numbers of its lines.
function lines(file, body, found) {
  const all = file.text.split("\n");
  if (all.at(-1) === "" && all.length > 1) all.pop();
  const list = h("ol", {class: "lines"}, all.map((text, i) =>
    h("li", {"data-n": file.line + i, class: file.line + i === found ? "found" : null}, h("code", {}, pieces(text)))));
  const parts = h("div", {});
  if (file.offset > 0 || file.end < file.size) {
    const to = (offset) => async () => part(file, Math.max(0, Math.min(offset, file.size - 1)), 0);
    fill(parts, h("div", {class: "bar"},
      button("First part", to(0), {disabled: file.offset === 0}),
      button("Previous", to(file.offset - 128 * 1024), {disabled: file.offset === 0}),
      h("span", {class: "quiet"},
        `Lines ${file.line.toLocaleString("en")} to ${(file.line + all.length - 1).toLocaleString("en")}, ` +
        `${Math.floor(100 * file.end / file.size)} % of ${size(file.size)}`),
      button("Next", to(file.end), {disabled: file.end >= file.size}),
      button("Last part", to(file.size - 64 * 1024), {disabled: file.end >= file.size})));
  }
  const old = viewer.querySelector(".parts");
  old?.remove();
  parts.className = "parts";
  body.before(parts);
  fill(body, file.size === 0 ? h("p", {class: "quiet"}, "This file is empty.") : list);
  body.scrollTop = 0;
  if (found) list.querySelector(".found")?.scrollIntoView({block: "center"});
}

// part shows the part at an offset, or the first one with a line.
async function part(file, offset, line) {
  try {
    let next = await get("files/text", {project, path: file.path, offset});
    while (line && next.end < next.size && next.line + next.text.split("\n").length - 1 <= line) {
      next = await get("files/text", {project, path: file.path, offset: next.end, limit: 1 << 20});
    }
    lines(next, viewer.querySelector(".file"), line);
  } catch (error) {
    fill(trouble, problem(error));
  }
}

async function editor(file) {
  try {
    if (file.end < file.size) file = await get("files/text", {project, path: file.path, limit: 1 << 20});
  } catch (error) {
    fill(trouble, problem(error));
    return;
  }
  const text = h("textarea", {class: "code", id: "text", rows: "24", spellcheck: "false",
    autocomplete: "off", "aria-label": `Text of ${plain(file.path)}`,
    value: file.text, oninput: () => { dirty = true; }, onkeydown: (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "s") {
        event.preventDefault();
        save.click();
      }
    }});
  const place = h("div", {class: "merge"});
  let version = file.version;
  const save = button("Save", () => working(save, place, async () => {
    try {
      const saved = await post("files/save", {project, path: file.path, text: text.value, version});
      dirty = false;
      say(`Saved ${plain(saved.path)}.`);
      await open(file.path, 0);
    } catch (error) {
      if (error.code !== "changed" || !error.version) throw error;
      merge(error);
    }
  }), {class: "main"});
  const merge = (error) => fill(place, problem(error),
    h("p", {}, "Lines with − are in the file as it is now, lines with + are what you have written. " +
      "Change your text until it is what you want, and save it over the other; or take theirs."),
    error.diff ? sideBySide(error.diff) : null,
    h("div", {class: "buttons"},
      button("Save mine over it", () => { version = error.version; save.click(); }, {class: "danger"}),
      button("Take theirs", async () => { dirty = false; await open(file.path, 0); })));
  fill(viewer, h("div", {class: "filehead"}, h("h2", {}, name(file.path)), h("div", {class: "bar"}, save,
    button("Cancel", async () => { if (await leave()) await open(file.path, 0); }))), warnings(file.text), place, text);
  text.focus();
  text.setSelectionRange(0, 0);
}

async function newFile() {
  if (!await leave()) return;
  const made = await prompt("New file", "Path", join(folder, "new.txt"), "Make it",
    (path) => post("files/save", {project, path, text: "", version: ""}));
  if (!made) return;
  tree.reveal(made.path);
  await tree.load();
  go({path: made.path});
  await open(made.path, 0);
  if (current) editor(current);
}

async function newFolder() {
  const made = await prompt("New folder", "Path", join(folder, "folder"), "Make it",
    (path) => post("files/folder", {project, path}));
  if (!made) return;
  tree.reveal(made.path);
  await tree.load();
}

async function rename(path) {
  const moved = await prompt(`Rename ${plain(path)}`, "New path", path, "Rename",
    (to) => post("files/move", {project, path, to}));
  if (!moved) return;
  tree.reveal(moved.path);
  go({path: moved.path}, true);
  await tree.load();
  await open(moved.path, 0);
}

async function remove(path) {
  try {
    const {call} = await post("files/delete", {project, path});
    say(`Deleted ${plain(path)}.`, undo(call, async () => {
      await tree.load();
      await choose(path);
    }));
    dirty = false;
    go({}, true);
    await tree.load();
    welcome();
  } catch (error) {
    fill(trouble, problem(error));
  }
}

function drag(event) {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  event.currentTarget.classList.toggle("dropping", event.type === "dragover");
}

function drop(event) {
  event.preventDefault();
  event.currentTarget.classList.remove("dropping");
  const over = event.target.closest("[role=treeitem]")?.file;
  if (over) folder = over.folder ? over.path : parent(over.path);
  return put(event.dataTransfer.files);
}

async function put(files) {
  let done = 0;
  for (const file of files) {
    const path = join(folder, file.name);
    try {
      await upload("files/upload", {project, path}, file);
      done++;
    } catch (error) {
      if (error.code !== "exists") {
        fill(trouble, problem(error));
        continue;
      }
      if (!await ask(`Replace ${plain(path)}?`, "There is a file of this name. The history keeps it.", "Replace"))
        continue;
      try {
        await upload("files/upload", {project, path, replace: true}, file);
        done++;
      } catch (again) {
        fill(trouble, problem(again));
      }
    }
  }
  if (done > 0) say(`Uploaded ${count(done, "file")} to ${plain(folder)}.`);
  if (folder !== "/") tree.reveal(folder + "/");
  await tree.load();
}

async function search(text, results, side) {
  side.hidden = text !== "";
  if (text === "") {
    fill(results);
    return;
  }
  const back = button("Back to all files", () => {
    fill(results);
    side.hidden = false;
    document.getElementById("search").value = "";
  });
  try {
    const {matches, more, notSearched} = await get("files/search", {project, text});
    fill(results, back, h("p", {class: "quiet", role: "status"}, matches.length === 0
      ? "Nothing was found." : count(matches.length, "match", "matches") + (more ? ", and there are more" : "")),
      notSearched && h("p", {class: "quiet name"}, "Not searched: ", notSearched),
      h("ul", {class: "plain-list"}, matches.map((m) => h("li", {},
        h("a", {href: page("files", {path: m.path, line: m.line ?? 1}), onclick: (event) => {
          event.preventDefault();
          return choose(m.path, m.line ?? 0);
        }}, name(m.path), m.line ? `:${m.line}` : ""),
        m.text && h("div", {class: "mono quiet name"}, pieces(m.text))))));
  } catch (error) {
    fill(results, back, problem(error));
  }
}

