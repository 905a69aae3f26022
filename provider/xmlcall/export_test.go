package xmlcall

// Looked returns how many bytes have been looked at in vain.
func (s *Stream) Looked() int { return s.looked }
