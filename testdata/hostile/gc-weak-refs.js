// One object has a million WeakRefs.
// ends: memory limit or time limit
const target = {};
const references = [];
for (;;) references.push(new WeakRef(target));
