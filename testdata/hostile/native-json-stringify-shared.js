// Thirty arrays that contain each other twice are 2**30 in JSON.
// ends: time limit or memory limit
let tree = [];
for (let i = 0; i < 30; i++) tree = [tree, tree];
return JSON.stringify(tree);
