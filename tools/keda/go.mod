module github.com/printmarket/printmarket/tools/keda

go 1.26.0

toolchain go1.26.8

require github.com/kedacore/keda/v2 v2.21.0
