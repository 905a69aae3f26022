// Each timer sets two others, so that there are soon as many as fit into memory.
// ends: time limit or memory limit
const split = () => {
  setTimeout(split, 0);
  setTimeout(split, 0);
};
split();
await new Promise(() => {});
