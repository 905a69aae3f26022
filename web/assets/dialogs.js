// What the page says to a person, and asks.

import {fill, h} from "./dom.js";
import {pieces, plain} from "./text.js";

// say tells something in the corner, and to screen readers. An action can take it back; its errors are told as well.
export function say(text, action) {
  const place = document.getElementById("says");
  const note = h("div", {class: "note"}, h("span", {}, plain(text)));
  const end = () => note.remove();
  if (action) {
    const act = () => { end(); action.do().catch((error) => say(error.message)); };
    note.append(h("button", {type: "button", onclick: act}, action.name));
  }
  note.append(h("button", {type: "button", class: "plain", "aria-label": "Close", onclick: end}, "×"));
  place.append(note);
  while (place.children.length > 3) place.firstChild.remove();
  setTimeout(end, action ? 20000 : 6000);
}

// problem is an error where it belongs.
export function problem(error) {
  const lines = error.reasons ?? [];
  return h("div", {class: "problem", role: "alert"}, h("p", {}, pieces(error.message ?? String(error))),
    lines.length > 0 && h("ul", {}, lines.map((line) => h("li", {}, pieces(line)))));
}

// ask shows a question about something that loses what is there, and returns whether it was answered with the button of
// this name. The enter key alone does not do it.
export function ask(question, details, button) {
  return dialog(question, [h("p", {}, details)], button, () => true, true).then((answer) => answer === true);
}

// askWith is ask with a box to tick, and returns whether that was ticked, or nothing if the answer is no.
export function askWith(question, details, label, button) {
  const box = h("input", {id: "box", type: "checkbox"});
  return dialog(question, [h("p", {}, details), h("p", {}, box, " ", h("label", {for: "box"}, label))], button,
    () => ({ticked: box.checked}), true).then((answer) => answer?.ticked);
}

// prompt asks for a text. The check may throw an error, which is shown at the field.
export function prompt(question, label, value, button, check) {
  const input = h("input", {id: "prompt", value, autocomplete: "off", spellcheck: "false", required: true});
  const shown = dialog(question, [h("label", {for: "prompt"}, label), input], button, () => check(input.value));
  input.select();
  return shown;
}

function dialog(question, content, button, check, danger) {
  return new Promise((resolve) => {
    const trouble = h("div", {});
    let answer;
    const box = h("dialog", {"aria-labelledby": "question", onclose: () => { box.remove(); resolve(answer); }},
      h("form", {method: "dialog", onsubmit: async (event) => {
        event.preventDefault();
        try {
          answer = await check();
          box.close();
        } catch (error) {
          answer = undefined;
          fill(trouble, problem(error));
        }
      }},
      h("h2", {id: "question"}, question), content, trouble,
      h("div", {class: "buttons"},
        h("button", {class: danger ? "main danger" : "main"}, button),
        h("button", {type: "button", autofocus: danger, onclick: () => box.close()}, "Cancel"))));
    document.body.append(box);
    box.showModal();
  });
}

// working calls do, and shows errors at a place. Meanwhile a button cannot be pressed again.
export async function working(pressed, place, work) {
  if (pressed) pressed.disabled = true;
  try {
    fill(place);
    return await work();
  } catch (error) {
    fill(place, problem(error));
  } finally {
    if (pressed) pressed.disabled = false;
  }
}
