//go:build !wasip1

package toolhttp

var errNobody = &Error{"requests can be made only where toolrun runs the program"}

func begin([]byte, []byte) (number uint32, err error)           { return 0, errNobody }
func response(uint32, uint32) ([]byte, error)                   { return nil, errNobody }
func read(uint32, []byte, uint32) (n int, done bool, err error) { return 0, false, errNobody }
func end(uint32)                                                {}
