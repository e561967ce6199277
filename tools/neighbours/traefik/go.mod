module github.com/printmarket/printmarket/tools/neighbours/traefik

go 1.26.0

toolchain go1.26.8

require github.com/traefik/traefik/v3 v3.7.13
