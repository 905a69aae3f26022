// Controllers are kept with a listener each.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const controllers = [];
for (let i = 0; ; i++) {
  const controller = new AbortController();
  controller.signal.addEventListener('abort', () => i);
  controllers.push(controller);
}
