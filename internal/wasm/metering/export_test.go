package metering

// RewriteBounded is Rewrite with other bounds of the code between two checks.
func RewriteBounded(module []byte, options Options, small, stretch, returning uint32) ([]byte, error) {
	return rewrite(module, options, bounds{small, stretch, returning})
}
