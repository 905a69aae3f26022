// The calls of a project, as they come.

import {follow, get, go, here, model, post, project} from "./api.js";
import {problem, say} from "./dialogs.js";
import {button, fill, h, oneAtATime, onlyNew} from "./dom.js";
import {approvals} from "./approvals.js";
import {changed, facts, input, live, load, Output, result, state, watch} from "./callview.js";
import {count, name, when} from "./text.js";

const size = 100; // of a part of the list

// drawnOf is what a call is drawn anew for.
const drawnOf = ({state, code, changes, undone}) => `${state} ${code} ${changes} ${undone}`;

export async function show(main) {
  const list = h("div", {});
  const waiting = h("div", {"aria-live": "polite"});
  const drawWaiting = approvals(waiting);
  const detail = h("section", {"aria-label": "Call", "aria-live": "off"});
  let chosen = here("call"), offset = 0, turned = true, source = null, drawn = "";
  const update = onlyNew(draw);
  const refresh = oneAtATime(read); // however many calls begin
  const panes = h("div", {class: "panes", "data-chosen": chosen ? "yes" : null},
    h("div", {class: "side"}, list), detail);
  await refresh();
  if (chosen) await open(chosen);
  fill(main, h("div", {class: "bar"}, h("h1", {}, "Calls")), waiting,
    h("h2", {class: "unseen"}, "All calls"), panes);
  addEventListener("popstate", () => select(here("call")));
  follow("events", {project}, {calls: refresh, changed: refresh});
  // That a call waits, or no longer does, in another process is no change of files.
  if (!model) setInterval(() => document.visibilityState === "visible" && drawWaiting(), 5000);

  // read reads the list, and draws it.
  async function read() {
    if (!model) await drawWaiting();
    try {
      // Older calls stay where they are: new ones would push them on. Somebody may turn on meanwhile.
      const from = turned ? offset : 0;
      turned = false;
      const {calls, more} = await get("calls", {project, limit: size, offset: from});
      if (from === offset) update({calls, more, offset});
      const now = calls.find((c) => c.call === chosen);
      if (now && drawnOf(now) !== drawn) await open(chosen, true);
    } catch (error) {
      turned = true;
      update.forget();
      fill(list, problem(error));
    }
  }

  function draw({calls, more}) {
    const focused = document.activeElement?.dataset?.call;
    if (calls.length === 0) {
      fill(list, h("div", {class: "empty"}, h("p", {}, "No calls yet."),
        h("p", {}, "Calls of models show up here as they are made, and what they changed. Run code on the page ",
        h("a", {href: `/run?${new URLSearchParams({project})}`}, "Run"), ", or connect a model: ",
          h("code", {}, `toolrun mcp --project ${project}`))));
      if (!chosen) fill(detail);
      return;
    }
    fill(list, calls.map((c) => h("div", {class: "call"}, h("button", {
      type: "button", "data-call": c.call, "aria-pressed": String(c.call === chosen), onclick: () => choose(c.call),
    },
      h("span", {class: "id"}, c.tool ? name(c.tool) : name(c.call)), h("span", {}, state(c)),
      h("span", {class: "quiet"}, c.tool ? name(c.call) : "another process"),
        h("span", {class: "quiet"}, c.changes > 0 && [count(c.changes, "change"), " · "], when(c.began))))),
    (offset > 0 || more) && h("div", {class: "bar", role: "group", "aria-label": "More calls"},
      button("Newest", () => turn(0), {disabled: offset === 0}),
      button("Newer", () => turn(offset - size), {disabled: offset === 0}),
      button("Older", () => turn(offset + size), {disabled: !more})));
    if (focused) list.querySelector(`[data-call="${CSS.escape(focused)}"]`)?.focus();
    if (!chosen) hint();
  }

  function turn(to) {
    offset = Math.max(0, to);
    turned = true;
    return refresh();
  }

  async function choose(call) {
    go(call ? {call} : {});
    await select(call);
  }

  // select shows a call and marks it in the list, or only shows the list. On a phone, the call takes the list's place.
  async function select(call) {
    const before = chosen;
    chosen = call;
    for (const b of list.querySelectorAll("[data-call]"))
      b.setAttribute("aria-pressed", String(b.dataset.call === call));
    if (call) panes.dataset.chosen = "yes";
    else delete panes.dataset.chosen;
    if (call) await open(call);
    else hint();
    if (!call && matchMedia("(max-width: 760px)").matches)
      list.querySelector(`[data-call="${CSS.escape(before)}"]`)?.focus();
    else if (panes.getBoundingClientRect().top > innerHeight / 2 || detail.getBoundingClientRect().top < 0)
      panes.scrollIntoView({block: "start"});
  }

  function hint() {
    source?.close();
    drawn = "";
    fill(detail, h("p", {class: "quiet"}, "Choose a call to see its input, what the model got, and what it changed."));
  }

  // open draws a call. What is drawn already stays if it is no other, or if somebody has opened a difference in it.
  async function open(call, drawnAlready) {
    try {
      const known = await load(call);
      if (call !== chosen) return;
      if (drawnAlready && (drawnOf(known) === drawn || detail.querySelector("[aria-expanded=true]"))) return;
      source?.close();
      drawn = drawnOf(known);
      const trouble = h("div", {});
      const output = new Output();
      const head = h("div", {class: "filehead"}, h("h2", {}, name(known.call)));
      fill(detail, back(), head, facts(known), trouble,
        known.known && [h("h3", {}, "Input"), input(known)],
        (live(known) || known.console.length > 0) && [h("h3", {}, "Output"), output.element],
        known.known && !live(known) && [h("h3", {}, "What the model got"), result(known)],
        changed(known, () => open(call)));
      if (live(known)) {
        head.append(button("Stop", async () => {
          try {
            await post("calls/stop", {project, call});
            if (known.elsewhere) say("The process that runs it was asked to stop it.");
          } catch (error) {
            fill(trouble, problem(error.code === "not_found" ? new Error("It does not run any more.") : error));
          }
        }));
      }
      if (live(known) && known.elsewhere) {
        output.element.replaceWith(
          h("p", {class: "quiet"}, "It runs in another process. What it prints is here when it has ended."));
      } else if (live(known)) {
        source = watch(call, output, () => refresh());
      } else {
        output.add(known.console, known.dropped ?? 0);
        if (known.dropped) output.element.append(
          h("span", {class: "quiet"}, `… ${known.dropped.toLocaleString("en")} bytes more were printed`));
      }
    } catch (error) {
      if (call !== chosen) return;
      source?.close();
      fill(detail, back(), problem(error));
    }
  }

  // back leads to the list, where there is no room for both.
  function back() {
    return button("← All calls", () => choose(""), {class: "plain only-narrow"});
  }
}

