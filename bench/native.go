package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/toolrun/toolrun/bench/protocol"
)

// nativeEngine is the command qjs of QuickJS-ng, or of QuickJS.
func nativeEngine() (protocol.Engine, error) {
	help, _ := exec.Command("qjs", "--help").Output() // whose exit status is not 0 in all versions
	first, _, _ := strings.Cut(string(help), "\n")
	return protocol.Engine{Version: first, Program: programNative}, nil
}

// programNative lets the program tell the times, since that of the process's start is not wanted.
func programNative(sources []string, expression string, warm, count int) ([]time.Duration, string, error) {
	script := strings.Join(sources, "\n") + fmt.Sprintf(`
for (let i = 0; i < %d; i++) {
  const start = performance.now();
  const value = %s;
  print(performance.now() - start);
  print(value);
}`, warm+count, expression)
	process := exec.Command("qjs", "--script", "/dev/stdin")
	process.Stdin = strings.NewReader(script)
	var stderr bytes.Buffer
	process.Stderr = &stderr
	out, err := process.Output()
	if err != nil {
		return nil, "", fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 2*(warm+count) {
		return nil, "", errors.New("not as many lines as expected")
	}
	var times []time.Duration
	for i := warm; i < warm+count; i++ {
		milliseconds, err := strconv.ParseFloat(lines[2*i], 64)
		if err != nil {
			return nil, "", err
		}
		times = append(times, time.Duration(milliseconds*float64(time.Millisecond)))
	}
	return times, lines[len(lines)-1], nil
}
