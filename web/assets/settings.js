// What a project chooses beside its tools. The server lists it: this page knows no setting by name.

import {get, post, project} from "./api.js";
import {problem, say, working} from "./dialogs.js";
import {button, fill, h, onlyNew} from "./dom.js";
import {name, pieces, plain} from "./text.js";

// settings fills a place with a section for each. It returns what shows them as they are now.
export function settings(place) {
  const shown = new Map(); // what draws one, by its name
  const update = onlyNew(draw);
  return async () => {
    try {
      update(await get("settings", {project}));
    } catch (error) {
      if (shown.size > 0) say(error.message); // what is there stays
      else fill(place, problem(error));
    }
  };

  function draw(answer) {
    const focused = place.contains(document.activeElement) ? document.activeElement.id : "";
    for (const setting of answer.settings.filter((one) => !one.withTools)) {
      if (!shown.has(setting.name)) shown.set(setting.name, section(setting));
      shown.get(setting.name)(setting, answer.warnings);
    }
    if (focused) document.getElementById(focused)?.focus();
  }

  // section adds one, and returns what draws it.
  function section({name: of, title, about, hint, list: isList, choices = []}) {
    const id = `setting-${of}`;
    const values = h("div", {});
    const trouble = h("div", {});
    const field = h("input",
      {id: `${id}-add`, size: "36", autocomplete: "off", spellcheck: "false", placeholder: hint});
    const add = h("button", {}, "Add");
    const form = h("form", {class: "bar", hidden: true, onsubmit: async (event) => {
      event.preventDefault();
      if (await change({add: [field.value]}, add)) field.value = "";
    }}, h("label", {for: field.id}, `Add to ${title}`), field, add);
    place.append(h("section", {class: "tool", "aria-labelledby": id}, h("h2", {id}, title),
      h("p", {class: "quiet"}, about), values, form, trouble));
    return isList ? drawList : drawChoice;

    async function change(what, pressed) {
      update.forget(); // what is shown may be what is refused
      return working(pressed, trouble, async () => {
        update(await post("settings", {project, changes: {[of]: what}}));
        say(`${title}: changed, from the next call on.`);
        return true;
      });
    }

    function drawChoice({value, fixed}) {
      const select = h("select", {id: `${id}-value`, "aria-labelledby": id, disabled: fixed,
        onchange: async () => await change({set: [select.value]}) || (select.value = value[0])},
      choices.map((c) => h("option", {value: c.value}, pieces(c.label, true))));
      select.value = value[0];
      fill(values, h("div", {class: "bar"}, select));
    }

    function drawList({value, fixed}, warnings) {
      form.hidden = fixed === true;
      const others = value.filter((one) => !choices.some((c) => c.value === one));
      fill(values, choices.map((c) => {
        const box = h("input", {type: "checkbox", id: `${id}-${c.value}`, disabled: fixed, onchange: async () => {
          const on = box.checked;
          if (!await change(on ? {add: [c.value]} : {remove: [c.value]})) box.checked = !on;
        }});
        box.checked = value.includes(c.value);
        return h("div", {class: "bar ask"}, box, h("label", {for: box.id}, pieces(c.label, true)));
      }), warnings?.filter((w) => w.setting === of).map((w) => h("p", {class: "warning"},
        pieces(`Warning: ${w.message}.`, true))),
      others.length > 0 ? h("ul", {class: "plain-list"}, others.map((one) => {
        const drop = button("Remove", () => change({remove: [one]}, drop),
          {class: "plain danger", "aria-label": `Remove ${plain(one)}`});
        return h("li", {}, h("code", {}, name(one)), " ", !fixed && drop);
      })) : choices.length === 0 && h("p", {class: "quiet"}, "None."));
    }
  }
}
