// Thirty objects, each of which contains the next one twice, are 2**30 when they are shown.
// ends: time limit or memory limit
let tree = {};
for (let i = 0; i < 30; i++) tree = { left: tree, right: tree };
console.log(tree);
