// A class consists of thousands of properties, negated and without regard to case.
// ends: time limit or memory limit or exception
for (;;) new RegExp('[^' + '\\p{L}\\P{Lu}\\p{Script=Greek}'.repeat(200) + ']', 'iu').test('x');
