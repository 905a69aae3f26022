// An interval without delay keeps a script waiting that is never told anything.
// ends: time limit
setInterval(() => {}, 0);
await new Promise(() => {});
