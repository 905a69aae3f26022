// An array whose strings differ only at their ends is sorted again and again.
// ends: time limit
const prefix = 'x'.repeat(2000);
const array = Array.from({ length: 3000 }, (_, i) => prefix + ((i * 7919) % 3000));
for (;;) array.toSorted();
