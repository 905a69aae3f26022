// WeakRefs to objects that are kept are made and asked.
// ends: time limit or memory limit
const target = {};
for (;;) new WeakRef(target).deref();
