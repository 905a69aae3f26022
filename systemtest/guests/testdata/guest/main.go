// Command guest does what its first argument says. The tests compile it to WebAssembly and run it in a sandbox.
package main

import (
	"io"
	"os"
	"strconv"
	"time"
	"unsafe"
)

//go:wasmimport wasi_snapshot_preview1 clock_res_get
//go:noescape
func clockResolution(clock uint32, result unsafe.Pointer) (errno uint32)

var count byte

func main() {
	count++ // a run that does not begin anew sees more than one
	switch os.Args[1] {
	case "echo":
		for _, arg := range append(os.Args, os.Getenv("GREETING"), string('0'+count)) {
			os.Stdout.WriteString(arg + "\n")
		}
		io.Copy(os.Stderr, os.Stdin)
	case "exit":
		os.Exit(3)
	case "loop":
		for {
		}
	case "recurse":
		for {
			recurse(20)
		}
	case "grow":
		for kept := [][]byte(nil); ; {
			kept = append(kept, make([]byte, 1<<20))
		}
	case "flood":
		for {
			os.Stdout.WriteString("a line of the flood\n")
		}
	case "sleep":
		time.Sleep(time.Hour)
	case "open":
		_, err := os.Open("/etc/passwd")
		os.Stdout.WriteString(err.Error())
	case "call":
		for _, number := range []uint32{0, 4095, 4096, 5000} {
			var result uint64
			errno := clockResolution(number, unsafe.Pointer(&result))
			os.Stdout.WriteString(strconv.Itoa(int(errno)) + " " + strconv.Itoa(int(result)) + "\n")
		}
		clockResolution(6000, nil)
	case "panic":
		panic("on purpose")
	}
}

// recurse takes time without a loop.
func recurse(n int) int {
	if n == 0 {
		return 0
	}
	return recurse(n-1) + recurse(n-1)
}
