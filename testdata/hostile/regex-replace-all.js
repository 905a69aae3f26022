// Everything between all characters is replaced, each time by all of the text.
// ends: memory limit or time limit or exception
let text = 'ab'.repeat(2000);
for (;;) text = text.replaceAll(/(?:)/gv, "$`$'");
