package program

import "syscall"

// endWithUs has the kernel kill the program when we are killed.
func endWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
