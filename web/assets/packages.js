// Packages of pure Python that a project has, beside those of Python itself.

import {get, post, project} from "./api.js";
import {load, Output, watch} from "./callview.js";
import {problem, say, working} from "./dialogs.js";
import {button, fill, h} from "./dom.js";
import {name, plain} from "./text.js";
import {undo} from "./undo.js";

// tool is the name of the tool that adds packages.
export const tool = "python_packages";

// packages makes the list of packages, with a field to add more.
export function packages() {
  const summary = h("summary", {}, "Packages");
  const list = h("div", {});
  const trouble = h("div", {});
  const field = h("input", {id: "packages", size: "30", autocomplete: "off", spellcheck: "false",
    placeholder: "rich requests>=2.30", onkeydown: (event) => event.key === "Enter" && add.click()});
  const add = button("Add", () => working(add, trouble, async () => {
    const wanted = field.value.split(/\s+/).filter(Boolean);
    if (wanted.length === 0) return;
    await change({add: wanted}, `Added ${plain(wanted.join(", "))}.`);
    field.value = "";
  }));
  draw();
  return h("details", {class: "fold"}, summary, h("p", {class: "quiet"}, "Python imports them from /lib/python. They ",
    "come from PyPI, each with all that it needs. None of their code runs before something imports them."),
  h("div", {class: "bar"}, h("label", {for: "packages"}, "Packages to add"), field, add), trouble, list);

  async function draw() {
    try {
      const packages = await locked();
      summary.textContent = `Packages (${packages.length})`;
      fill(list, h("ul", {class: "plain-list"}, packages.map(row)));
    } catch (error) {
      fill(list, problem(error));
    }
  }

  function row(p) {
    const remove = button("Remove", () => working(remove, trouble,
      () => change({remove: [p.name]}, `Removed ${plain(p.name)}.`)),
    {class: "plain danger", "aria-label": `Remove the package ${plain(p.name)}`});
    return h("li", {}, h("div", {class: "bar"}, h("b", {}, name(p.name)), h("span", {class: "quiet"}, name(p.version)),
      h("span", {class: "right"}, remove)));
  }

  // change calls the tool and waits for its end.
  async function change(input, done) {
    const {call} = await post("calls", {project, tool, input});
    await new Promise((ended) => watch(call, new Output(), ended));
    const known = await load(call);
    if (known.code) throw new Error(known.result);
    say(done, undo(call, draw));
    await draw();
  }
}

// locked is the packages that the project's lock file names.
async function locked() {
  try {
    const {text} = await get("files/text", {project, path: "/python.lock", limit: 1 << 20});
    return JSON.parse(text).packages;
  } catch (error) {
    if (error.code === "not_found") return [];
    throw error;
  }
}
