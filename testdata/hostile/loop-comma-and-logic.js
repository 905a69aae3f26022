// A loop without any statement in it: all is done by operators in its head.
// ends: time limit
let a = 1;
for (let b = 2; a || b; [a, b] = [b, a], a ??= b, b ||= a);
