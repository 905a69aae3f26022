// What texts and numbers look like. Characters that are not seen, or make others look different, are written out.

import {h} from "./dom.js";

// The joiners that scripts and emoji need are not among them, nor are tabs and ends of lines.
const hidden = /[\p{Cf}\p{Cc}\u2028\u2029\ufffd\u115f\u1160\u3164\uffa0]/u;
const allowed = "\t\n\u200c\u200d";

function code(character) {
  return "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
}

// pieces returns nodes of a text.
export function pieces(text, inLine) {
  if (!hidden.test(text)) return [text];
  const found = [];
  let plain = "";
  for (const character of text) {
    if (hidden.test(character) && (inLine && character !== "\u200c" && character !== "\u200d" ||
      !allowed.includes(character))) {
      if (plain) found.push(plain);
      plain = "";
      found.push(h("span", {class: "hidden", title: "a character that is not seen"}, code(character)));
    } else {
      plain += character;
    }
  }
  if (plain) found.push(plain);
  return found;
}

// name is a name, which cannot change how what is beside it looks.
export function name(text) {
  return h("bdi", {class: "name"}, pieces(text, true));
}

// plain is a name where there are no elements, such as in a title.
export function plain(text) {
  return Array.from(text, (c) => (hidden.test(c) && c !== "\u200c" && c !== "\u200d" ? `‹${code(c)}›` : c)).join("");
}

// escaped is JSON in which characters that are not seen are escapes.
export function escaped(json) {
  return json.replace(/[\p{Cf}\p{Cc}\u2028\u2029\ufffd\u115f\u1160\u3164\uffa0]/gu, (c) => (allowed.includes(c) ? c :
    Array.from({length: c.length}, (_, i) => "\\u" + c.charCodeAt(i).toString(16).padStart(4, "0")).join("")));
}

// hiddenIn names the characters of a text that are not seen.
export function hiddenIn(text) {
  const counts = new Map();
  if (!hidden.test(text)) return counts;
  for (const c of text) {
    if (hidden.test(c) && !allowed.includes(c) && c !== "\r") counts.set(code(c), (counts.get(code(c)) ?? 0) + 1);
  }
  return counts;
}

// size is a number of bytes.
export function size(bytes) {
  if (bytes < 1000) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  let unit = 0;
  let value = bytes / 1024;
  while (value >= 1000 && unit < 3) {
    value /= 1024;
    unit++;
  }
  return `${value.toLocaleString("en", {maximumSignificantDigits: 3})} ${["KiB", "MiB", "GiB", "TiB"][unit]}`;
}

// count is a number of things.
export function count(n, one, many) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many ?? one + "s"}`;
}

// duration is a number of milliseconds.
export function duration(ms) {
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60000)} min ${Math.round((ms % 60000) / 1000)} s`;
}

const words = new Intl.RelativeTimeFormat("en", {numeric: "auto"});
const steps = [[60, "second", 1], [3600, "minute", 60], [86400, "hour", 3600], [86400 * 30, "day", 86400],
  [86400 * 365, "month", 86400 * 30], [Infinity, "year", 86400 * 365]];

function ago(date) {
  const seconds = (date.getTime() - Date.now()) / 1000;
  if (Math.abs(seconds) < 10) return "just now";
  const [, unit, length] = steps.find(([most]) => Math.abs(seconds) < most);
  return words.format(Math.round(seconds / length), unit);
}

// when is a time, in relation to now, with the exact one for a pointer that rests on it.
export function when(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return "";
  return h("time", {datetime: date.toISOString(),
    title: date.toLocaleString("en", {dateStyle: "medium", timeStyle: "medium"})}, ago(date));
}

setInterval(() => {
  for (const time of document.querySelectorAll("time")) {
    const text = ago(new Date(time.dateTime));
    if (time.textContent !== text) time.textContent = text;
  }
}, 10000);

// pretty is the code, the command line or the patch that is all of an input, or else the input in lines. What is not
// JSON stays as it came.
export function pretty(text) {
  try {
    const parsed = JSON.parse(text);
    const [[key, value] = [], ...more] = Object.entries(parsed);
    return more.length === 0 && typeof value === "string" && ["code", "command", "input"].includes(key) ? value
      : JSON.stringify(parsed, null, 2);
  } catch {
    return text;
  }
}
