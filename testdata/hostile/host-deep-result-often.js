// A result that is nested as deep as it may be is asked for again and again.
// ends: time limit
for (;;) deep(900);
