// A default parameter calls the function whose parameter it is, within a native map over a long array.
// ends: time limit
const spin = (n, next = n > 0 ? spin(n - 1) : 0, other = n > 0 ? spin(n - 1) : 0) => next + other;
return [50, 60, 70].map((n) => spin(n));
