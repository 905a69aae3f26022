// Taking back what a call changed, and doing it again.

import {get, post, project} from "./api.js";
import {say, working} from "./dialogs.js";
import {button, fill, h} from "./dom.js";
import {count, plain} from "./text.js";

// undo is what a note offers about a call that is done: to take it back, and then do what follows.
export const undo = (call, done) => action("Undo", "history/undo", call, done);

const redo = (call, done) => action("Do it again", "history/redo", call, done);

const action = (name, path, call, done) => ({name, do: async () => {
  await post(path, {project, call});
  await done?.();
}});

// undoButton takes a call back. If that is not possible, it says why.
export function undoButton(call, trouble, done) {
  const press = button("Undo", () => working(press, trouble, async () => {
    const can = await get("history/undo", {project, call});
    if (can.undone) {
      fill(trouble, h("p", {class: "warning"}, "This has been undone already. ", redoButton(call, trouble, done)));
      return;
    }
    if (!can.possible) throw Object.assign(new Error("This cannot be undone as a whole:"), {reasons: can.reasons});
    const {changes} = await post("history/undo", {project, call});
    const left = changes.filter((change) => change.purged).length;
    say(`Undone: ${count(changes.length - left, "change")}` +
      (left > 0 ? `; ${left} not or in part, because of what has been purged.` : "."),
      redo(call, done));
    await done?.();
  }), {"aria-label": `Undo ${plain(call)}`});
  return press;
}

// redoButton does again what was undone.
export function redoButton(call, trouble, done) {
  const press = button("Do it again", () => working(press, trouble, async () => {
    await redo(call, done).do();
    say("Done again.");
  }), {"aria-label": `Do ${plain(call)} again`});
  return press;
}
