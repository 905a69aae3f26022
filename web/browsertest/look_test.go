package browsertest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// rules are what must hold on each page, for keys, screen readers and eyes. They return what is wrong.
const rules = `(() => {
	const wrong = [];
	const say = (e, text) => wrong.push(text + ": " + e.outerHTML.slice(0, 160));
	const seen = (e) => e.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}) &&
		e.getClientRects().length > 0;
	if (document.documentElement.scrollWidth > innerWidth + 1) wrong.push(
		"the page is wider than the window: " + document.documentElement.scrollWidth);
	const ids = new Set();
	for (const e of document.querySelectorAll("[id]")) {
		if (ids.has(e.id)) say(e, "an id is there twice");
		ids.add(e.id);
	}
	if (document.querySelectorAll("h1").length !== 1) wrong.push("there must be one h1");
	for (const e of document.querySelectorAll("[aria-describedby], [aria-labelledby]")) {
		for (const id of ((e.getAttribute("aria-describedby") ?? "") +
			" " + (e.getAttribute("aria-labelledby") ?? "")).trim().split(/\s+/)) {
			if (!document.getElementById(id)) say(e, "no element " + id);
		}
	}
	const label = (e) => (e.getAttribute("aria-label") ||
		document.getElementById(e.getAttribute("aria-labelledby"))?.textContent ||
		(e.labels && Array.from(e.labels).map((l) => l.textContent).join(" ")) ||
			e.textContent || e.getAttribute("title") || "").trim();
	for (const e of document.querySelectorAll(
		"button, a[href], input:not([type=hidden]), select, textarea, [role=tree], [role=treeitem], summary, dialog")) {
		if (seen(e) && !label(e)) say(e, "no label");
	}
	for (const e of document.querySelectorAll("button, a[href], input, select, textarea")) {
		if (!seen(e) || e.closest(".skip, .file")) continue; // a file has its own width
		const r = e.getBoundingClientRect();
		for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) {
			const b = p.getBoundingClientRect();
			if (getComputedStyle(p).overflowX !== "visible" && (r.right > b.right + 1 || r.left < b.left - 1)) say(e,
				"cut off");
		}
	}
	for (const e of document.querySelectorAll("img")) if (!e.hasAttribute("alt")) say(e, "no alt");
	for (const e of document.querySelectorAll("[tabindex]")) if (Number(e.getAttribute("tabindex")) > 0) say(e,
		"an order of its own");
	for (const e of document.querySelectorAll("*")) {
		const s = getComputedStyle(e);
		if (/auto|scroll/.test(s.overflowY + s.overflowX) &&
			(e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1) && seen(e) &&
			e !== document.documentElement && e !== document.body && e.tabIndex < 0 &&
				!e.querySelector("button, a[href], input, [tabindex='0']")) say(e, "keys cannot scroll it");
	}
	// Contrast of texts, with the colour behind them.
	const paint = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
	const parsed = new Map();
	const parse = (color) => {
		if (!parsed.has(color)) {
			paint.clearRect(0, 0, 1, 1);
			paint.fillStyle = color;
			paint.fillRect(0, 0, 1, 1);
			const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
			parsed.set(color, [r, g, b, a / 255]);
		}
		return parsed.get(color);
	};
	const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map(
		(v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const c = parse(getComputedStyle(e).backgroundColor);
			if (c[3] > 0.9) return c;
		}
		return matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0] : [255, 255, 255];
	};
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	const done = new Set();
	for (let n = walker.nextNode(); n; n = walker.nextNode()) {
		const e = n.parentElement;
		if (!n.data.trim() || done.has(e) || !seen(e) ||
			e.closest(":disabled, .skip, .unseen, noscript, script, option")) continue;
		done.add(e);
		const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))];
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (ratio < 4.5) say(e, "a contrast of " + ratio.toFixed(2));
		if (done.size > 3000) break;
	}
	return wrong;
})()`

// accessible checks the rules on what is shown.
func (p *person) accessible(name string) {
	p.t.Helper()
	require.Empty(p.t, value[[]string](p, rules), name)
}

func TestTheRulesFindWhatIsWrong(t *testing.T) {
	p := serve(t, newOptions()).visit()
	p.run(evaluate(`document.querySelector("main").append(
		Object.assign(document.createElement("button"), {id: "a"}),
		Object.assign(document.createElement("input"), {id: "a"}),
		document.createElement("img"),
		Object.assign(document.createElement("h1"), {textContent: "x"}));
		const grey = document.createElement("p");
		grey.textContent = "pale";
		grey.style.color = "#ccc";
		grey.style.background = "#fff";
		grey.style.width = "9000px";
		grey.style.maxWidth = "none";
		const narrow = document.createElement("div");
		narrow.style.width = "20px";
		narrow.style.overflow = "auto";
		narrow.append(Object.assign(document.createElement("button"), {textContent: "too wide for it"}));
		document.querySelector("main").append(grey, narrow)`))
	wrong := value[[]string](p, rules)
	for _, what := range []string{"twice", "one h1", "no label", "no alt", "a contrast of", "wider", "cut off"} {
		require.Regexp(t, what, wrong)
	}
}
