// Begins the view that the page is for.

import {post} from "./api.js";
import {problem, say} from "./dialogs.js";
import {fill, h} from "./dom.js";

const main = document.getElementById("main");

document.getElementById("logout")?.addEventListener("click", async () => {
  await post("logout");
  location.assign("/");
});

document.getElementById("link")?.addEventListener("click", async () => {
  try {
    const {path} = await post("links");
    const box = h("dialog", {"aria-labelledby": "link-title", onclose: () => box.remove()},
      h("h2", {id: "link-title"}, "A link for another browser"),
      h("p", {}, "It opens this page once, within ten minutes."),
      h("input", {
        readonly: true, value: location.origin + path, "aria-label": "Link", onfocus: (e) => e.target.select(),
      }),
      h("div", {class: "buttons"}, h("button", {type: "button", class: "main", onclick: () => box.close()}, "Close")));
    document.body.append(box);
    box.showModal();
  } catch (error) {
    say(error.message);
  }
});

try {
  const view = await import(`./${document.body.dataset.view}.js`);
  await view.show(main);
} catch (error) {
  fill(main, h("h1", {}, "This did not work"), problem(error));
}
document.body.dataset.ready = "yes";
