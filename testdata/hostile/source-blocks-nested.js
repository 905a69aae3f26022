// Blocks with variables are nested, so that leaving them is long code.
// ends: exception or time limit or memory limit
return eval('{ let a; '.repeat(1e4) + '}'.repeat(1e4));
