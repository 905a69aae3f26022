// Groups are opened without an end, and each line is indented by all of them.
// ends: time limit or memory limit
for (;;) console.group('group');
