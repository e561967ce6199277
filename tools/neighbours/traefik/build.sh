#!/bin/sh
# Builds Traefik into a cache, once for each version, and prints the directory that
# holds it. Parts that tests do not use, and whose modules are not published, are left
# out: DNS challenges of ACME, passwords of users, and extensions of Traefik Hub.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../module.sh"
version=$(required github.com/traefik/traefik/v3 "$here/go.mod")
flags="-s -w -X github.com/traefik/traefik/v3/pkg/version.Version=$version"

programs() {
	copy github.com/traefik/traefik/v3
	leave_out
	(cd "$work/source" && GOWORK=off go mod edit -dropreplace github.com/abbot/go-http-auth -droprequire github.com/abbot/go-http-auth \
		-dropreplace github.com/traefik/traefik/dynamic/ext -droprequire github.com/traefik/traefik/dynamic/ext)
	build "$work/source" ./cmd/traefik traefik
	cp "$work/source/docs/content/reference/dynamic-configuration/kubernetes-crd-definition-v1.yml" "$work/bin/crds.yaml"
}

leave_out() {
	cd "$work/source"
	mkdir -p internal/dns internal/ext
	cat >internal/dns/dns.go <<'GO'
package dns

import (
	"errors"

	"github.com/go-acme/lego/v5/challenge"
)

func NewDNSChallengeProviderByName(string) (challenge.Provider, error) {
	return nil, errors.New("this build has no DNS challenges")
}
GO
	cat >internal/ext/ext.go <<'GO'
package ext

type HTTP struct{}

func (HTTP) DeepCopyInto(*HTTP) {}

type Router struct{}

func (Router) DeepCopyInto(*Router) {}
GO
	rm pkg/middlewares/auth/basic_auth.go pkg/middlewares/auth/digest_auth.go
	cat >pkg/middlewares/auth/left_out.go <<'GO'
package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/traefik/traefik/v3/pkg/config/dynamic"
)

var errLeftOut = errors.New("this build has no passwords of users")

func NewBasic(context.Context, http.Handler, dynamic.BasicAuth, string) (http.Handler, error) {
	return nil, errLeftOut
}

func NewDigest(context.Context, http.Handler, dynamic.DigestAuth, string) (http.Handler, error) {
	return nil, errLeftOut
}
GO
	sed -i 's|"github.com/go-acme/lego/v5/providers/dns"|"github.com/traefik/traefik/v3/internal/dns"|' pkg/provider/acme/provider.go
	sed -i 's|"github.com/traefik/traefik/dynamic/ext"|"github.com/traefik/traefik/v3/internal/ext"|' pkg/config/dynamic/http_config.go
	cd "$here"
}
assemble neighbours "traefik-$version-$(platform)" "$(stamp)" ten
