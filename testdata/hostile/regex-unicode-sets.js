// A class of whole scripts and categories of Unicode is compiled and compared with each character.
// ends: time limit
for (;;) new RegExp('[\\p{L}\\p{N}\\p{S}\\p{Script=Han}]+?!', 'v').test('aé漢'.repeat(1000));
