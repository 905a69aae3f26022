module github.com/toolrun/toolrun/guest/shell

go 1.26.0

require (
	github.com/BurntSushi/toml v1.6.0
	github.com/dlclark/regexp2 v1.12.0
	github.com/klauspost/compress v1.20.3
	github.com/stretchr/testify v1.12.1
	github.com/ulikunitz/xz v0.5.15
	go.yaml.in/yaml/v3 v3.0.5
	golang.org/x/crypto v0.57.0
	golang.org/x/text v0.43.0
	mvdan.cc/sh/v3 v3.14.1
)

require golang.org/x/sys v0.48.0 // indirect
