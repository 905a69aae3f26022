// A panic in the host must end in an error of the script.
// ends: exception Error
panics();
