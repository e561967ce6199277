module github.com/printmarket/printmarket/tools/neighbours/jaeger

go 1.26.0

toolchain go1.26.8

require github.com/jaegertracing/jaeger v1.76.0
