module github.com/printmarket/printmarket/tools/neighbours/kube-router

go 1.26.0

toolchain go1.26.8

require github.com/cloudnativelabs/kube-router/v2 v2.1.0
