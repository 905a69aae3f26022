// The method split looks for a separator that almost matches at each place.
// ends: time limit
return ('a'.repeat(1000) + 'c').repeat(1000).split('a'.repeat(900) + 'b').length;
