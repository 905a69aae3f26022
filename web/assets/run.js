// A place to run code.

import {get, model, page, post, project} from "./api.js";
import {problem} from "./dialogs.js";
import {button, fill, h} from "./dom.js";
import {changed, facts, load, Output, pictures, watch} from "./callview.js";
import {languages} from "./languages.js"; // which the server makes
import {packages, tool as packagesTool} from "./packages.js";
import {Sessions} from "./sessions.js";
import {pieces} from "./text.js";

export async function show(main) {
  const {tools} = await get("tools", {project});
  const has = (l) => tools.some((t) => t.name === l.tool);
  // A model cannot choose a dialect: code is recognised.
  const there = languages.filter((l) => has(l) && !(model && l.dialect));
  const missing = languages.filter((l) => l.module && !l.dialect && !has(l));
  if (there.length === 0) {
    fill(main, h("h1", {}, "Run"), h("div", {class: "empty"}, "There is no tool that runs code."));
    return;
  }
  const drafts = JSON.parse(sessionStorage.getItem("drafts") ?? "{}");
  const choice = h("select", {id: "language"}, there.map((l) => h("option", {value: l.id}, l.title)));
  choice.value = there.some((l) => l.id === drafts.language) ? drafts.language : there[0].id;
  const language = () => there.find((l) => l.id === choice.value);
  const code = h("textarea", {
    class: "code", id: "code", rows: "14", spellcheck: "false", autocomplete: "off", autocapitalize: "off",
  });
  const keep = () => {
    drafts[choice.value] = code.value;
    drafts.language = choice.value;
    sessionStorage.setItem("drafts", JSON.stringify(drafts));
  };
  const fresh = () => { code.value = drafts[choice.value] ?? language().example; };
  fresh();
  choice.addEventListener("change", () => { fresh(); keep(); });
  code.addEventListener("input", keep);
  code.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run.click();
    }
  });
  const session = h("input", {id: "session", size: "12", autocomplete: "off", spellcheck: "false",
    value: model ? "" : drafts.session ?? "", title: "Variables stay from run to run under this name",
    oninput: () => { drafts.session = session.value; keep(); }});
  const sessions = !model && new Sessions((name) => {
    session.value = drafts.session = name;
    keep();
    code.focus();
  });
  const trouble = h("div", {});
  const outcome = h("section", {id: "outcome", "aria-label": "Outcome"}, h("p", {class: "quiet"},
    "Ctrl+Enter runs the code, in a fresh sandbox, on the files of this project. All that it changes can be undone. ",
    !model && "Give a session a name, and its variables stay for the next run."));
  let running = "";
  const run = button("Run", start, {class: "main", id: "run"});
  const stop = button("Stop", () => post("calls/stop", {project, call: running}).catch(
    (error) => fill(trouble, problem(error))), {disabled: true, id: "stop"});
  fill(main, h("div", {class: "bar"}, h("h1", {}, "Run"),
    h("span", {class: "field"}, h("label", {for: "language"}, "Language"), choice), !model && h("span",
    {class: "field"}, h("label", {for: "session"}, "Session"), session), h("span", {class: "field"}, run, stop),
    missing.map((l) => h("span", {class: "quiet"}, l.title, ": ", h("code", {}, "toolrun module add " + l.module)))),
    h("label", {for: "code", class: "unseen"}, "Code"), code, trouble, outcome, sessions && sessions.element,
    !model && has({tool: packagesTool}) && packages());

  async function start() {
    fill(trouble);
    run.disabled = true;
    const output = new Output();
    const about = h("div", {}, h("p", {class: "state-running", role: "status"}, "Running…"));
    try {
      const {tool, argument, options} = language();
      const {call} = await post("calls", {project, tool, options: model ? undefined
        : session.value ? {...options, session: session.value} : options, input: {[argument]: code.value}});
      running = call;
      stop.disabled = false;
      fill(outcome, h("h2", {}, "Output"), output.element, about);
      await new Promise((done) => watch(call, output, done));
      await finish(call, output, about);
    } catch (error) {
      fill(trouble, problem(error));
    }
    running = "";
    run.disabled = false;
    stop.disabled = true;
  }

  async function finish(call, output, about) {
    const draw = async () => {
      const known = await load(call);
      const data = known.data ?? {};
      if (data.console && output.length === 0 && data.console.length > 0)
        output.add(data.console.map((e) => ({level: e.level, text: e.text, open: e.unfinished})), 0);
      if (output.length === 0) output.element.replaceChildren(h("span", {class: "quiet"}, "It printed nothing."));
      const failed = data.error?.message ?? (known.code ? known.result : "");
      fill(about,
        failed ? h("div", {class: "problem", role: "alert"}, h("p", {class: "mono"}, pieces(failed))) :
          [h("h2", {}, "Result"), h("div", {class: "output mono", role: "region", "aria-label": "Result",
            tabindex: "0"}, pieces("value" in data ? JSON.stringify(data.value, null, 2) : "nothing was returned"))],
        pictures(known), facts(known), changed(known, draw),
        h("p", {}, h("a", {href: page("calls", {call})}, "This call"), " stays in the list of calls."));
    };
    await draw();
    if (session.value) await sessions.load();
  }
}
