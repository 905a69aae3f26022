// Blocks with variables are nested, so that leaving them is long code, again and again.
// ends: exception or time limit or memory limit
for (;;) eval('{ let a; '.repeat(1e4) + '}'.repeat(1e4));
