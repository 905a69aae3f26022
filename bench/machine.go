package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// machine is what the figures were measured on.
func machine() string {
	cpu := "an unknown processor"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, rest, ok := strings.Cut(string(info), "model name"); ok {
			line, _, _ := strings.Cut(rest, "\n")
			cpu = strings.Trim(line, " \t:")
		}
	}
	system := ""
	if release, err := os.ReadFile("/etc/os-release"); err == nil {
		if _, rest, ok := strings.Cut(string(release), `PRETTY_NAME="`); ok {
			name, _, _ := strings.Cut(rest, `"`)
			system = ", " + name
		}
	}
	if kernel, err := exec.Command("uname", "-sr").Output(); err == nil {
		system += ", " + strings.TrimSpace(string(kernel))
	}
	return fmt.Sprintf("%s, %d cores%s, %s/%s", cpu, runtime.NumCPU(), system, runtime.GOOS, runtime.GOARCH)
}

// load is the load average of the machine before the comparison, in words, or empty if it is not known.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	minute, _, _ := strings.Cut(string(data), " ")
	return "Load average at the beginning: " + minute + "."
}

// revision is what of this project was measured.
func revision() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown revision"
	}
	return "revision " + strings.TrimSpace(string(out))
}
