// The result is a tree in which each object has the same two others in it.
// ends: time limit or memory limit
let tree = [1];
for (let i = 0; i < 40; i++) tree = [tree, tree];
return tree;
