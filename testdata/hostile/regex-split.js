// The method split tries the expression at each place, and each time fails in the longest way.
// ends: time limit
return 'a'.repeat(30000).split(/(?:a+)+c/).length;
