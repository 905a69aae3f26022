// Which tools models may use in a project, and their options.

import {follow, get, model, post, project} from "./api.js";
import {problem, say} from "./dialogs.js";
import {button, fill, h, onlyNew} from "./dom.js";
import {settings} from "./settings.js";
import {name, pieces, plain} from "./text.js";

const apis = [["anthropic", "Anthropic"], ["anthropic-agents", "Anthropic's managed agents"],
  ["openai-chat", "OpenAI Chat"], ["openai-responses", "OpenAI Responses"], ["gemini", "Gemini"],
  ["bedrock", "Bedrock"], ["mcp", "MCP"]];

export async function show(main) {
  const list = h("div", {});
  const definition = h("div", {});
  const open = new Set();
  const update = onlyNew(draw);
  let setting = 0; // what somebody changes at this moment, or has to mend, stays
  const others = h("div", {});
  const loadOthers = model ? () => {} : settings(others);
  await Promise.all([loadOthers(), load()]); // all at once, so that nothing moves
  const choice = h("select", {id: "api"}, apis.map(([value, label]) => h("option", {value}, label)));
  fill(main,
    h("div", {class: "bar"}, h("h1", {}, "Tools")),
    h("p", {class: "quiet"}, "What models may use in this project, and how. Changes hold from the next call on."),
    list, others,
    h("section", {"aria-labelledby": "definitions"}, h("h2", {id: "definitions"}, "What models get"),
      h("div", {class: "bar"}, h("label", {for: "api"}, "As the API of"), choice,
        button("Show the definitions", define)), definition));
  follow("events", {project}, {changed: () => Promise.all([load(), loadOthers()])});

  async function load() {
    try {
      const answer = await get("tools", {project});
      if (setting === 0 && !writing() && !list.querySelector("[aria-invalid=true]")) update(answer);
    } catch (error) {
      if (list.firstChild) say(error.message); // what is there stays
      else fill(list, problem(error));
    }
  }

  // writing returns whether somebody is at a field, which is not the one that is given.
  function writing(field) {
    const active = document.activeElement;
    return active !== field && list.contains(active) && active.matches("input:not([type=checkbox]), select");
  }

  function draw(answer) {
    const focused = document.activeElement?.id;
    fill(list, answer.fixed && h("p", {class: "warning"},
      "Your token, or the command that serves this page, decides on the tools: they cannot be changed here."),
      answer.warnings?.map((text) => h("p", {class: "warning"}, pieces(`Warning: ${text}.`, true))),
      answer.tools.map((tool) => card(tool, answer.fixed)));
    if (focused) document.getElementById(focused)?.focus();
  }

  function card(tool, fixed) {
    const trouble = h("div", {});
    const id = `tool-${tool.name}`;
    const toggle = h("input",
      {type: "checkbox", role: "switch", class: "switch", id, checked: tool.enabled, disabled: tool.always || fixed,
      "aria-describedby": `${id}-what`, onchange: async () => {
        const on = toggle.checked;
        if (await set({tools: listed(tool.name, on)}, trouble, null)) say(`${tool.title} is ${on ? "on" : "off"}.`);
        else toggle.checked = !on;
      }});
    toggle.checked = tool.enabled;
    const ask = h("input", {type: "checkbox", id: `${id}-ask`, disabled: fixed, onchange: async () => {
      const asks = ask.checked;
      if (!await set({ask: listed(tool.name, asks)}, trouble, null)) ask.checked = !asks;
      else say(asks ? `Calls of ${tool.title} wait for approval, on the page Calls.`
        : `Calls of ${tool.title} need no approval.`);
    }});
    ask.checked = tool.ask;
    const details = h("details", {ontoggle: () => (details.open ? open.add(tool.name) : open.delete(tool.name))},
      h("summary", {}, "What models are told"),
        h("div", {class: "description mono", tabindex: "0"}, pieces(tool.description)));
    details.open = open.has(tool.name);
    return h("section", {class: "tool", "aria-labelledby": `${id}-title`},
      h("div", {class: "head"}, toggle,
        h("div", {}, h("h2", {}, h("label", {for: id, id: `${id}-title`}, name(tool.title)),
          " ", h("code", {class: "quiet"}, pieces(tool.name, true))),
          h("p", {class: "quiet", id: `${id}-what`}, pieces(tool.subtitle ?? "", true))),
        h("span", {class: "right"}, tool.source && h("span", {class: "badge"}, "from ", name(tool.source)),
          tool.openWorld && h("span", {class: "badge"}, "reaches beyond the project"),
            tool.readOnly && h("span", {class: "badge"}, "only reads"))),
      tool.requires && !tool.granted && h("p", {class: "warning"},
        `It needs ${tool.requires.join(", ")}, which this server does not grant.`),
      tool.schemaNotes?.map((note) => h("p", {class: "warning"}, pieces(`Note: ${note}.`, true))),
      tool.problem && h("div", {class: "problem"}, h("p", {}, tool.problem)),
      h("div", {class: "bar ask"}, ask, h("label", {for: `${id}-ask`}, "Ask a person before each call of a model")),
      tool.options.length > 0 && h("div", {class: "options"}, tool.options.map((o) => option(tool, o, fixed))),
      trouble, details);
  }

  function option(tool, o, fixed) {
    if (o.when) {
      const on = tool.options.find((other) => other.id === o.when);
      if (on && on.value !== o.equals) return null;
    }
    const id = `option-${tool.name}-${o.id}`;
    const error = h("span", {class: "problem", id: `${id}-error`, role: "alert"});
    const common = {id, disabled: fixed, "aria-describedby": `${id}-hint ${id}-error`};
    let field, read;
    if (o.type === "bool") {
      field = h("input", {type: "checkbox", ...common});
      field.checked = o.value === true;
      read = () => field.checked;
    } else if (o.type === "select") {
      field = h("select", common, o.choices.map((c) => h("option", {value: c.value}, pieces(c.label, true))));
      field.value = o.value;
      read = () => field.value;
    } else {
      field = h("input", {type: "text", inputmode: o.type === "number" ? "decimal" : null,
        autocomplete: "off", value: String(o.value ?? ""), ...common});
      read = () => field.value;
    }
    const change = async (value) => {
      const ok = await set({
        options: value === null ? listed(`${tool.name}.${o.id}`, false) : listed(`${tool.name}.${o.id}=${value}`, true),
      }, error, field);
      const words = new Map([[null, "the default"], [true, "on"], [false, "off"], ["", "empty"]]);
      if (ok) say(`${o.label}: ${words.get(value) ?? value}.`);
    };
    field.addEventListener("change", () => change(read()));
    const bounds = [
      o.min != null && `at least ${o.min}`, o.max != null && `at most ${o.max}`,
    ].filter(Boolean).join(", ");
    const usual = o.type === "select" ? o.choices.find((c) => c.value === o.default)?.label
      : o.type === "bool" ? (o.default ? "on" : "off") : String(o.default ?? "");
    return [h("label", {for: id}, pieces(o.label, true)),
      h("div", {class: "value"}, field, o.set && !fixed && button("Use the default",
        () => change(null), {class: "plain", "aria-label": `Use the default of ${plain(o.label)}`}),
        h("span", {class: "hint", id: `${id}-hint`}, pieces([
          o.subtitle, bounds, `default: ${usual === "" ? "empty" : usual}`,
        ].filter(Boolean).join("; "), true)), error)];
  }

  // listed changes a list by a text.
  function listed(text, is) {
    return is ? {add: [text]} : {remove: [text]};
  }

  async function set(changes, place, field) {
    field?.removeAttribute("aria-invalid");
    setting++;
    try {
      await post("settings", {project, changes});
      const answer = await get("tools", {project});
      place.textContent = "";
      update.forget(); // what is shown may be written otherwise than it is kept
      if (!writing(field)) update(answer);
      return true;
    } catch (error) {
      if (field) {
        field.setAttribute("aria-invalid", "true");
        place.textContent = error.message;
      } else {
        fill(place, problem(error));
      }
      return false;
    } finally {
      setting--;
    }
  }

  async function define() {
    try {
      const answer = await get("tools/definitions", {project, api: choice.value});
      const text = JSON.stringify(answer, null, 2);
      fill(definition, h("div", {class: "bar"}, button("Copy", async () => {
        try {
          await navigator.clipboard.writeText(text);
          say("Copied.");
        } catch {
          say("The browser does not allow copying: select the text.");
        }
      })), h("div", {class: "description mono", tabindex: "0", role: "region", "aria-label": "Definitions"},
        pieces(text)));
    } catch (error) {
      fill(definition, problem(error));
    }
  }
}
