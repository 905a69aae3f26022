package pgtest

import "syscall"

// endsWithUs has the server stop when this process ends, however that happens.
func endsWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGQUIT }
