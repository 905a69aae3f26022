// Views of views of views are made, all of them of one buffer.
// ends: time limit or memory limit
let view = new Uint8Array(1e6);
const kept = [];
for (;;) kept.push((view = view.subarray(0)));
