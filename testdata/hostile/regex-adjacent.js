// Two quantifiers share the same text, and a third one shares it with both.
// ends: time limit
return /(x+x+)+y/.exec('x'.repeat(60));
