// The host is given an object that is 2**30 objects if it is written out.
// ends: time limit or memory limit
let tree = {};
for (let i = 0; i < 30; i++) tree = { left: tree, right: tree };
echo(tree);
