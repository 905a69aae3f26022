// Each character of a long text is looked up in a class of thousands of ranges.
// ends: time limit
let ranges = '';
for (let c = 0x100; c < 0xd000; c += 3) ranges += String.fromCharCode(c) + '-' + String.fromCharCode(c + 1);
const expression = new RegExp('[' + ranges + ']+?b', 'g');
const text = '\u4e00'.repeat(1e5);
for (;;) text.match(expression);
