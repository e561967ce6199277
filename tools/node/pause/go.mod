// The pause of test clusters, a module so that it is built and cached with them.
module github.com/printmarket/printmarket/tools/node/pause

go 1.26.0

toolchain go1.26.8
