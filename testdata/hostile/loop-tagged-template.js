// The tag of a template is a function that is called with each template that it makes itself.
// ends: time limit
function tag(strings, ...values) {
  for (;;) values = [strings.raw.length, (([a]) => a)`${values[0]}`];
}
return tag`a${1}b${2}c`;
