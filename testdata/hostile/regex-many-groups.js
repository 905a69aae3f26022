// More groups are asked for than a match has places.
// ends: exception SyntaxError
return new RegExp('()'.repeat(1e5)).exec('').length;
