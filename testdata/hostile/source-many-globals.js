// Scripts declare a hundred thousand global variables, and again.
// ends: time limit or memory limit
for (let n = 0; ; n++) {
  let text = '';
  for (let i = 0; i < 1e4; i++) text += `var g${n}_${i};`;
  (0, eval)(text);
}
