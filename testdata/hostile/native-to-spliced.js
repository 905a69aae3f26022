// The method toSpliced copies a large array for each of many elements.
// ends: time limit
let array = Array.from({ length: 2e5 }, (_, i) => i);
for (;;) array = array.toSpliced(1, 1, 'new');
