module github.com/toolrun/toolrun/bench/qjs

go 1.26.0

require (
	github.com/fastschema/qjs v0.0.6
	github.com/toolrun/toolrun/bench/protocol v0.0.0-00010101000000-000000000000
)

require github.com/tetratelabs/wazero v1.9.0 // indirect

replace github.com/toolrun/toolrun/bench/protocol => ../protocol
