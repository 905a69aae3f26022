// The method flat goes through a tree in which each array contains the next one twice.
// ends: time limit or memory limit
let tree = [];
for (let i = 0; i < 60; i++) tree = [tree, tree];
return tree.flat(Infinity).length;
