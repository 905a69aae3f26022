// The host returns a value that is nested deeper than anybody could read by recursion.
// ends: exception
return deep(1e6);
