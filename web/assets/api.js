// Requests to /api, and the address of the page.

export const project = document.body.dataset.project;
// model says that the token is a model's, which calls tools and reads files: what it may not do is not offered.
export const model = document.body.dataset.model === "yes";
const csrf = document.querySelector("meta[name=csrf]")?.content ?? "";

async function request(path, options) {
  let response;
  try {
    response = await fetch("/api/" + path, {credentials: "same-origin", ...options});
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("toolrun does not answer. Is it still running?");
  }
  const body = await response.json();
  if (response.ok) return body;
  if (response.status === 401 && path !== "login") location.reload(); // which asks who is there
  const {message, ...rest} = body.error;
  throw Object.assign(new Error(message), rest);
}

// address returns the address of an operation with its parameters.
export function address(path, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters ?? {})) {
    if (value !== undefined && value !== "") query.set(name, value);
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

// get and post call an operation. They throw errors with a message, a code and perhaps a field.
export function get(path, parameters, signal) {
  return request(address(path, parameters), {signal});
}

export function post(path, body) {
  return request(path, {
    method: "POST", body: JSON.stringify(body ?? {}),
    headers: {"Content-Type": "application/json", "X-Toolrun-CSRF": csrf},
  });
}

// upload sends a file.
export function upload(path, parameters, file) {
  return request(address(path, parameters), {
    method: "POST", body: file, headers: {"Content-Type": "application/octet-stream", "X-Toolrun-CSRF": csrf},
  });
}

// follow listens to events. As soon as they are sent, and whenever a connection comes back, all listeners are called,
// since something may have happened before.
export function follow(path, parameters, listeners) {
  const source = new EventSource("/api/" + address(path, parameters));
  for (const [name, listener] of Object.entries(listeners)) {
    source.addEventListener(name, (event) => listener(JSON.parse(event.data)));
  }
  source.addEventListener("ready", () => new Set(Object.values(listeners)).forEach((listener) => listener({})));
  // A browser does not try again if the server refuses: then this finds out whether somebody is out.
  source.addEventListener("error", () => source.readyState === EventSource.CLOSED && get("about").catch(() => {}));
  return source;
}

// here is a parameter of the page's address.
export function here(name) {
  return new URLSearchParams(location.search).get(name) ?? "";
}

// go changes the address without loading the page.
export function go(parameters, replace) {
  const query = new URLSearchParams({project, ...parameters});
  const to = `${location.pathname}?${query}`;
  if (to === location.pathname + location.search) return;
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
}

// page is the address of another page of the project.
export function page(view, parameters) {
  return `/${view}?${new URLSearchParams({project, ...parameters})}`;
}
