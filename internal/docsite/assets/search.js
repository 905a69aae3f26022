// Finds the sections that have all words that are typed, those with the words in their titles first.
"use strict";

const input = document.querySelector("input[type=search]");
const found = document.querySelector(".found");
const most = 30;

// excerpt is the text around the first of the words.
function excerpt(text, words) {
  const at = Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0), text.length);
  const start = Math.max(0, at - 80);
  return (start > 0 ? "… " : "") + text.slice(start, start + 240) + (start + 240 < text.length ? " …" : "");
}

function rank(section, words) {
  const title = section.title.toLowerCase(), page = section.page.toLowerCase();
  const all = `${title} ${page} ${section.text.toLowerCase()}`;
  if (!words.every((word) => all.includes(word))) return 0;
  const inTitle = words.filter((word) => title.includes(word)), inPage = words.filter((word) => page.includes(word));
  return 1 + inTitle.length + inPage.length / 2;
}

function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = words.length === 0;
  const hits = words.length === 0 ? [] : sections.map((section) => ({section, rank: rank(section, words)}))
    .filter((hit) => hit.rank > 0).sort((a, b) => b.rank - a.rank).slice(0, most);
  found.replaceChildren(...hits.map(({section}) => {
    const link = document.createElement("a"), text = document.createElement("p");
    link.href = section.link;
    link.textContent = section.page === section.title ? section.title : `${section.page}: ${section.title}`;
    text.textContent = excerpt(section.text, words);
    const hit = document.createElement("div");
    hit.append(link, text);
    return hit;
  }));
  if (!found.hidden && hits.length === 0) found.textContent = "Nothing has all these words.";
}

input.addEventListener("input", search);
found.addEventListener("click", () => { input.value = ""; search(); });
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && input.value) { input.value = ""; search(); }
  if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
});
