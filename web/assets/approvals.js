// Calls that wait until a person approves or refuses them.

import {get, post, project} from "./api.js";
import {problem, prompt, say, working} from "./dialogs.js";
import {button, fill, h, onlyNew} from "./dom.js";
import {changeRow, sideBySide} from "./diff.js";
import {count, escaped, name, pieces, plain, pretty, when} from "./text.js";

// approvals returns what shows, at a place, the calls that wait. What somebody is writing stays.
export function approvals(place) {
  const writing = () => place.querySelector("textarea") !== null;
  const update = onlyNew(({approvals: all, problem: trouble, more}) => {
    const waiting = all.filter((a) => a.waits.length > 0);
    fill(place, trouble && problem(new Error(trouble)),
      waiting.length > 0 && h("section", {"aria-labelledby": "waiting"},
      h("h2", {id: "waiting"}, `${count(waiting.length, "call waits", "calls wait")} for your approval`),
        waiting.map((a) => approval(a, anew)),
      more && h("p", {class: "quiet"}, "There are more. They are shown when these are decided.")));
  });
  return show;

  async function show() {
    if (writing()) return;
    try {
      const answer = await get("approvals", {project});
      if (!writing()) update(answer);
    } catch (error) {
      update.forget();
      fill(place, problem(error));
    }
  }

  function anew() {
    update.forget();
    fill(place);
    return show();
  }
}

function approval(a, anew) {
  return h("div", {class: "group"},
    h("div", {class: "bar"}, h("h3", {}, name(a.call || a.tool)),
      h("span", {class: "quiet"}, name(a.tool), " · since ", when(a.since), " · expires ", when(a.until))),
    a.code && h("details", {}, h("summary", {}, "The code that waits"),
      h("div", {class: "description mono", tabindex: "0"}, pieces(pretty(a.input)))),
    a.own.length > 0 && h("details", {}, h("summary", {}, `${count(a.own.length, "change")} ` +
      `that the code has made so far`), h("ul", {class: "changes"}, a.own.map((c) => changeRow(c)))),
    a.changes.length > 0 && h("details", {}, h("summary", {}, `${count(a.changes.length, "change")} by others since`),
      h("ul", {class: "changes"}, a.changes.map((c) => changeRow(c)))),
    a.waits.map((c) => call(a, c, anew)));
}

// asked is an input for people to judge: texts that are to be written as differences, which JSON would hide in escapes.
function asked(input) {
  const whole = (text) => h("div", {class: "description mono", tabindex: "0", role: "region", "aria-label": "Input"},
    pieces(text));
  let fields;
  try {
    fields = JSON.parse(input);
  } catch {
    return whole(input);
  }
  // What is shown as a difference is left out of the rest, and nothing else is.
  const text = (key) => typeof fields?.[key] === "string";
  const keys = text("old_str") ? ["old_str", "new_str"] : [["file_text"], ["insert_text"]].find(([key]) => text(key));
  if (!keys || "new_str" in fields && !text("new_str")) return whole(pretty(input));
  const rest = Object.entries(fields).filter(([key]) => !keys.includes(key));
  const lines = (key, sign) =>
    (fields[key] ? fields[key].replace(/\n$/, "").split("\n").map((line) => sign + line + "\n").join("") : "");
  const simple = rest.every(([, value]) => typeof value !== "object" && String(value).length < 200);
  return h("div", {role: "region", "aria-label": "Input"},
    simple ? h("dl", {class: "facts"},
      rest.map(([key, value]) => h("div", {}, h("dt", {}, name(key)), h("dd", {}, name(String(value)))))) :
      whole(JSON.stringify(Object.fromEntries(rest), null, 2)),
    sideBySide(keys.length === 2 ? lines("old_str", "-") + lines("new_str", "+") : lines(keys[0], "+")));
}

// loss adds what a call would replace or delete. The difference then has what would be written, too.
async function loss(a, c, shown) {
  let known;
  try {
    known = await get("approvals/loss", {project, token: a.token, call: c.call});
  } catch (error) {
    if (error.code !== "not_found") shown.append(problem(error));
    return;
  }
  const {path, diff, note, files, count: all, more} = known;
  if (!path && !all) return;
  if (diff && c.input.includes("file_text")) shown.querySelector(".diff")?.remove();
  shown.append(h("div", {class: "warning", role: "region", "aria-label": "What would be lost"},
    h("p", {}, path ? name(path) : `${count(all, "file")} would be deleted`,
      path && (all > 0 ? ` and ${count(all, "file")} in it would be deleted` : diff === undefined && !note
        ? " is empty and would be deleted" : " is there now. This is what would change:")),
    note && h("p", {}, note),
    files.length > 0 && h("ul", {class: "changes scroll", tabindex: "0"}, files.map((file) => h("li", {}, name(file)))),
    more && h("p", {class: "quiet"}, all > files.length ? `… and ${count(all - files.length, "more file")}`
      : "… and more")),
  diff && sideBySide(diff));
}

function call(a, c, anew) {
  const trouble = h("div", {});
  const shown = h("div", {}, asked(c.input));
  loss(a, c, shown);
  const send = async (decision) => {
    await post("approvals", {project, token: a.token, call: c.call, ...decision});
    say(decision.approved ? "Approved. The call goes on." : "Refused. The model is told.");
    await anew();
  };
  const approve = button("Approve", () => working(approve, trouble, () => send({approved: true})),
    {class: "main", "aria-label": `Approve ${plain(c.tool)}`});
  const refuse = button("Refuse", async () => {
    const reason = await prompt("Refuse this call", "What the model is told", "A person has refused this.",
      "Refuse", (text) => ({text}));
    if (reason) await working(refuse, trouble, () => send({approved: false, reason: reason.text}));
  }, {class: "danger", "aria-label": `Refuse ${plain(c.tool)}`});
  const edit = button("Edit", () => {
    const text = h("textarea", {class: "code", spellcheck: "false", "aria-label": "Input as JSON",
      value: escaped(JSON.stringify(JSON.parse(c.input || "{}"), null, 2))});
    const save = button("Approve with this input", () => working(save, trouble, async () => {
      let input;
      try {
        input = JSON.parse(text.value);
      } catch (error) {
        throw new Error(`This is not JSON: ${error.message}`);
      }
      text.remove();
      await send({approved: true, input});
    }), {class: "main"});
    shown.replaceWith(text);
    fill(buttons, save, button("Cancel", anew));
    text.focus();
  });
  const buttons = h("div", {class: "buttons"}, approve, edit, refuse);
  return h("div", {}, h("p", {}, name(c.tool), c.rule && h("span", {class: "quiet"}, " · rule: ", name(c.rule))),
    c.problem && problem(new Error(c.problem)), shown, trouble, buttons);
}
