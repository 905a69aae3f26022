// Elements, made of nodes alone: no text ever becomes markup.

// h makes an element. Properties that begin with "on" are listeners, true is an attribute without a value, and false,
// null and undefined are none.
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...nodes(children));
  return element;
}

function nodes(children) {
  return children.flat(Infinity).filter((child) => child != null && child !== false);
}

// fill replaces what an element contains.
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

// button is a button.
export function button(text, onclick, properties) {
  return h("button", {type: "button", onclick, ...properties}, text);
}

// onlyNew returns a function that draws what it is given, unless that is what it drew last: an element that is replaced
// while somebody presses on it would not be pressed. After forget, the next is drawn in any case.
export function onlyNew(draw) {
  let drawn = "";
  const update = (what, ...more) => {
    const now = JSON.stringify(what);
    if (now === drawn) return;
    draw(what, ...more);
    drawn = now;
  };
  update.forget = () => { drawn = ""; };
  return update;
}

// oneAtATime returns a function that does some work, which throws no errors, and once more if it is called meanwhile.
export function oneAtATime(work) {
  let busy = false, again = false;
  return async function run() {
    again = busy;
    if (busy) return;
    busy = true;
    await work();
    busy = false;
    if (again) await run();
  };
}
