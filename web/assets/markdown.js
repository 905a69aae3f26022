// Markdown as elements. What it does not know stays text; markup in it is text; links lead to the web or nowhere.

import {h} from "./dom.js";
import {pieces} from "./text.js";

const maxLines = 5000;

// markdown returns elements for a text.
export function markdown(text) {
  const lines = text.replaceAll("\r\n", "\n").split("\n").slice(0, maxLines);
  return blocks(lines, 0);
}

function blocks(lines, depth) {
  const out = [];
  for (let i = 0; i < lines.length;) {
    const line = lines[i];
    let m;
    if (line.trim() === "") {
      i++;
    } else if ((m = /^ {0,3}(`{3,}|~{3,})\s*([\w+-]*)/.exec(line))) {
      const body = [];
      for (i++; i < lines.length && !lines[i].trim().startsWith(m[1]); i++) body.push(lines[i]);
      i++;
      out.push(h("pre", {tabindex: "0"}, h("code", {}, pieces(body.join("\n")))));
    } else if ((m = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line))) {
      out.push(h("h" + Math.min(6, m[1].length + 2), {}, inline(m[2])));
      i++;
    } else if (/^ {0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) {
      out.push(h("hr"));
      i++;
    } else if (/^ {0,3}>/.test(line) && depth < 8) {
      const body = [];
      for (; i < lines.length && /^ {0,3}>/.test(lines[i]); i++) body.push(lines[i].replace(/^ {0,3}> ?/, ""));
      out.push(h("blockquote", {}, blocks(body, depth + 1)));
    } else if (/^\s*([-*+]|\d{1,9}[.)])\s+/.test(line) && depth < 8) {
      i = list(lines, i, depth, out);
    } else if (line.includes("|") && /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(lines[i + 1] ?? "")) {
      const cells = (row) => row.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
      const head = cells(line);
      const rows = [];
      for (i += 2; i < lines.length && lines[i].includes("|"); i++) rows.push(cells(lines[i]));
      out.push(h("div", {class: "wide", tabindex: "0"}, h("table", {class: "data"},
        h("thead", {}, h("tr", {}, head.map((cell) => h("th", {scope: "col"}, inline(cell))))),
        h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, inline(cell)))))))));
    } else {
      const body = [line];
      for (i++; i < lines.length && lines[i].trim() !== "" &&
        !/^ {0,3}(#{1,6}\s|>|`{3}|~{3}|[-*+]\s|\d+[.)]\s)/.test(lines[i]); i++) body.push(lines[i]);
      out.push(h("p", {}, inline(body.join("\n"))));
    }
  }
  return out;
}

function list(lines, i, depth, out) {
  const first = /^(\s*)([-*+]|\d{1,9}[.)])\s+/.exec(lines[i]);
  const ordered = /\d/.test(first[2]);
  const items = [];
  while (i < lines.length) {
    const m = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/.exec(lines[i]);
    if (!m || m[1].length !== first[1].length || /\d/.test(m[2]) !== ordered) break;
    const body = [m[3]];
    const indent = m[1].length + 2;
    for (i++; i < lines.length; i++) {
      const spaces = /^\s*/.exec(lines[i])[0].length;
      if (lines[i].trim() === "" ? !/^\s+\S/.test(lines[i + 1] ?? "") : spaces < indent) break;
      body.push(lines[i].slice(Math.min(spaces, indent)));
    }
    items.push(h("li", {}, body.length === 1 ? inline(body[0]) : blocks(body, depth + 1)));
  }
  out.push(h(ordered ? "ol" : "ul", ordered ? {start: parseInt(first[2], 10)} : {}, items));
  return i;
}

const marks = new RegExp([
  /(`+)([^`]+?)\1/, // code
  /!?\[([^\[\]]*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+"[^"]*")?\s*\)/, // links and images
  /\*\*([^*]+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*|\b_([^_\s][^_]*)_\b|~~([^~]+)~~/,
  /<(https?:\/\/[^\s<>]+)>/,
].map((part) => part.source).join("|"));

function inline(text, depth = 0) {
  const out = [];
  let rest = text;
  let m;
  while (rest && depth < 6 && (m = marks.exec(rest))) {
    out.push(...pieces(rest.slice(0, m.index)));
    const [whole, ticks, code, label, target, strong, strong2, emphasis, emphasis2, gone, auto] = m;
    if (ticks) out.push(h("code", {}, pieces(code)));
    else if (target !== undefined)
      out.push(link(whole.startsWith("!") ? `image: ${label || target}` : label, target, depth));
    else if (auto) out.push(link(auto, auto, depth));
    else if (strong ?? strong2) out.push(h("strong", {}, inline(strong ?? strong2, depth + 1)));
    else if (emphasis ?? emphasis2) out.push(h("em", {}, inline(emphasis ?? emphasis2, depth + 1)));
    else if (gone) out.push(h("del", {}, inline(gone, depth + 1)));
    rest = rest.slice(m.index + whole.length);
  }
  out.push(...pieces(rest));
  return out;
}

// link is one to the web, which says where it leads if its text does not. Other ones are text.
function link(label, target, depth) {
  let to;
  try {
    to = new URL(target);
  } catch {
    return h("span", {}, inline(label, depth + 1), label === target ? ""
      : h("span", {class: "quiet"}, " (", pieces(target), ")"));
  }
  if (!["http:", "https:", "mailto:"].includes(to.protocol))
    return h("span", {}, inline(label, depth + 1), h("span", {class: "quiet"}, " (", pieces(target), ")"));
  const host = to.host || to.pathname;
  return [h("a", {href: to.href, rel: "noopener noreferrer", target: "_blank"},
    label ? inline(label, depth + 1) : pieces(target)),
    !label.includes(host) && h("span", {class: "quiet"}, ` (${host})`)];
}
