module github.com/printmarket/printmarket/tools/neighbours/authorino

go 1.26.0

toolchain go1.26.8

require github.com/kuadrant/authorino v0.25.0
