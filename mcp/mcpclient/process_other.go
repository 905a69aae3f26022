//go:build !unix

package mcpclient

import "os/exec"

// inherited are the variables that servers get from the environment, as other clients have it.
var inherited = []string{
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE",
	"PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
}

func ownGroup(*exec.Cmd) {}

// terminate does nothing: this system cannot ask a process to end.
func terminate(*exec.Cmd) {}

// kill ends the process alone.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
