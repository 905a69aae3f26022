//go:build !unix

package mcpclient

import "os/exec"

// inherited are the variables that servers get from the environment, the same as from other clients.
var inherited = []string{
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE",
	"PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
}

func ownGroup(*exec.Cmd) {}

// terminate does nothing: this system cannot ask a process to end.
func terminate(*exec.Cmd) {}

// kill ends the process, but not its children.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
