module github.com/toolrun/toolrun/bench/protocol

go 1.26.0
