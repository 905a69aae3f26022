// A class of thousands of ranges is made independent of case.
// ends: time limit or memory limit
let ranges = '';
for (let c = 0x100; c < 0xd000; c += 3) ranges += String.fromCharCode(c) + '-' + String.fromCharCode(c + 1);
for (;;) new RegExp('[' + ranges + ']+', 'i').test('ÄÖÜ');
