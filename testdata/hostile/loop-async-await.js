// Each turn of the loop waits for a promise that is settled already, so that it never returns to the host.
// ends: time limit
for (;;) await 0;
