// What is known of a call.

import {address, follow, get, model, page, project} from "./api.js";
import {h} from "./dom.js";
import {changeRow} from "./diff.js";
import {count, duration, name, pieces, pretty, size, when} from "./text.js";
import {redoButton, undoButton} from "./undo.js";

const most = 256 * 1024; // characters of output that are shown at once

// An Output shows what code prints, and drops its beginning if it is too long.
export class Output {
  constructor() {
    this.element = h("div", {class: "output mono", role: "log", "aria-label": "Output", tabindex: "0"});
    this.length = 0;
    this.lost = 0;
    this.open = null;
  }

  add(lines, dropped) {
    const box = this.element;
    const follows = box.scrollHeight - box.scrollTop - box.clientHeight < 30;
    const fresh = document.createDocumentFragment();
    for (const line of lines) {
      const text = line.text + (line.open ? "" : "\n");
      fresh.append(h("span", {class: line.level}, pieces(text)));
      this.length += text.length;
    }
    box.append(fresh);
    while (this.length > most && box.childNodes.length > 1) {
      this.length -= box.firstChild.textContent.length;
      this.lost += box.firstChild.textContent.length;
      box.firstChild.remove();
    }
    if (dropped > 0) this.lost = Math.max(this.lost, dropped);
    box.dataset.lost = this.lost;
    if (follows) box.scrollTop = box.scrollHeight;
  }
}

// watch shows the output of a call until it ends.
export function watch(call, output, done) {
  const source = follow("calls/output", {project, call}, {
    output: ({lines, dropped}) => output.add(lines, dropped ?? 0),
    done: () => {
      source.close();
      done();
    },
  });
  // A browser would begin again, with all lines.
  source.onerror = () => {
    source.close();
    done();
  };
  return source;
}

// live says that a process has the call, which can be stopped then.
export const live = (call) => call.state !== "ended" && call.code !== "pending";

export function state(call) {
  if (call.state === "waiting" || call.code === "pending")
    return h("span", {class: "state-running"}, "waits for approval");
  if (call.state !== "ended") return h("span", {class: "state-running"}, "running");
  if (call.undone) return h("span", {class: "badge"}, "undone");
  if (call.code) return h("span", {class: "state-failed"}, call.code.replaceAll("_", " "));
  return call.tool ? h("span", {class: "state-ok"}, "ok") : null;
}

function fact(term, ...value) {
  return h("div", {}, h("dt", {}, term), h("dd", {}, value));
}

// facts says how a call went and what it has used.
export function facts(call) {
  const usage = call.data?.usage;
  return h("dl", {class: "facts"},
    fact("State", state(call) ?? "known from its changes"),
    call.tool && fact("Tool", name(call.tool)),
    fact("Began", when(call.began)),
    call.tool && fact("Took", duration(usage?.milliseconds ?? call.milliseconds)),
    usage && fact("Memory", size(usage.memoryBytes)),
    usage?.work > 0 && fact("Work", usage.work.toLocaleString("en")),
    usage?.requests > 0 && fact("Network", `${count(usage.requests, "request")}, ${size(usage.sentBytes ?? 0)} ` +
      `sent, ${size(usage.receivedBytes ?? 0)} received`),
    call.client && fact("By", name(call.client)),
    call.parent && fact("Part of", h("a", {href: page("calls", {call: call.parent})}, name(call.parent))));
}

// changed lists what a call changed, with a button that takes it back.
export function changed(call, again) {
  const trouble = h("div", {});
  if (call.files.length === 0)
    return h("p", {class: "quiet"}, live(call) ? "It has changed no files yet." : "It changed no files.");
  return h("section", {"aria-label": "Changed files"},
    h("div", {class: "bar"}, h("h3", {}, count(call.changes, "change")),
      !model && (call.undone ? redoButton : undoButton)(call.call, trouble, again)),
    trouble, h("ul", {class: "changes"}, call.files.map((change) => changeRow(change))));
}

// input is the code of a call, or its input.
export function input(call) {
  return h("div", {class: "description mono", tabindex: "0", role: "region", "aria-label": "Input"},
    pieces(pretty(call.input)));
}

// result is what the model got.
export function result(call) {
  return [h("div", {class: "output mono", tabindex: "0", role: "region", "aria-label": "Result"},
    pieces(call.result || " ")), pictures(call)];
}

// pictures are the images of a result.
export function pictures(call) {
  return Array.from({length: call.pictures ?? 0}, (_, i) => h("img", {class: "picture", alt: `Picture ${i + 1}`,
    src: `/api/${address("calls/picture", {project, call: call.call, number: i + 1})}`}));
}

export async function load(call) {
  return get("calls/one", {project, call});
}

