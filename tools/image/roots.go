// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"iter"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// rootsModule contains the certificates of Mozilla's trust store. Its version is a requirement of
// this module, so go.sum pins the certificates like code.
const rootsModule = "golang.org/x/crypto/x509roots/fallback"

// rootsFile is the first file that crypto/x509 reads on Linux. To use other authorities,
// mount a file over it, or set SSL_CERT_FILE.
const rootsFile = "etc/ssl/certs/ca-certificates.crt"

// rootCertificates returns the trusted roots as PEM. It omits roots that are trusted only for
// certificates issued before some date, because PEM cannot express this limit.
func rootCertificates(roots iter.Seq[bundle.Root]) ([]byte, error) {
	var out bytes.Buffer
	for root := range roots {
		if root.Constraint != nil {
			continue
		}
		if err := pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, fmt.Errorf("encode a root certificate: %w", err)
		}
	}
	return out.Bytes(), nil
}
