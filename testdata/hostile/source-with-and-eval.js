// Names are looked up through hundreds of objects that stand around the code, and in a function that could have any variable.
// ends: time limit or exception
const text = 'with (o) '.repeat(300) + '{ for (;;) missing = typeof missing + eval("1") }';
new Function('o', text)({});
