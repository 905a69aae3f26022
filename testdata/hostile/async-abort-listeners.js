// Each listener for the end of a signal adds another one.
// ends: time limit or memory limit
const controller = new AbortController();
const { signal } = controller;
const add = () => {
  signal.addEventListener('abort', add);
  signal.addEventListener('abort', () => add());
};
for (let i = 0; i < 1e4; i++) add();
controller.abort();
for (;;) signal.dispatchEvent(new Event('abort'));
