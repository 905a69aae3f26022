//go:build !wasip1

package tool

// callHost fails, since nobody is there to call.
func callHost(string, []byte) (result []byte, ok bool) {
	return []byte("tools can be called only where toolrun runs the program"), false
}
