// The loop is text that is evaluated, so that it belongs to no function of the script.
// ends: time limit
(0, eval)('for (var turns = 0; ; turns++) { if (turns < 0) break }');
