// Which requests code can make in a project.

import {get, post, project} from "./api.js";
import {button, fill, h, problem, say, working} from "./dom.js";
import {name, plain} from "./text.js";

// network is a section with the rules.
export async function network() {
  const list = h("div", {});
  const trouble = h("div", {});
  const field = h("input", {
    id: "rule", size: "36", autocomplete: "off", spellcheck: "false", placeholder: "GET https://example.com/**",
  });
  const add = h("button", {}, "Allow");
  const form = h("form", {class: "bar", onsubmit: (event) => {
    event.preventDefault();
    working(add, trouble, async () => {
      draw(await post("network", {project, add: field.value}));
      say("Code can make these requests from the next call on.");
      field.value = "";
    });
  }}, h("label", {for: "rule"}, "Allow requests"), field, add);
  await load();
  return h("section", {class: "tool", "aria-labelledby": "network"}, h("h2", {id: "network"}, "Network"),
    list, form, trouble);

  async function load() {
    try {
      draw(await get("network", {project}));
    } catch (error) {
      fill(list, problem(error));
    }
  }

  function draw({rules, fixed}) {
    form.hidden = fixed === true;
    fill(list, rules.length === 0 ? h("p", {class: "quiet"}, "The project allows no requests. Code " +
      "can reach only what the server allows in all projects, which is nothing unless it was started with --allow.") :
      [h("p", {class: "quiet"}, "Code can send what it reads in this project to these addresses:"),
        h("ul", {class: "plain-list"}, rules.map((rule) => {
        const drop = button("Remove",
          () => working(drop, trouble, async () => draw(await post("network", {project, remove: rule}))),
          {class: "plain danger", "aria-label": `Remove ${plain(rule)}`});
        return h("li", {}, h("code", {}, name(rule)), " ", drop);
      }))]);
  }
}
