#!/usr/bin/env bash
# Generates the packages of the contracts: arguments are CONTRACT=PACKAGE, the
# contract below docs/. A package whose inputs are unchanged is left as it is.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p bin/generated
inputs_of() { cat "docs/$1" "$2/generate.yaml" "$2"/overlay.yaml tools/memberorder/main.go tools/oapi-codegen/*.tmpl tools/go.sum "$0" 2>/dev/null | sha256sum; }
for pair in "$@"; do
	contract=${pair%%=*} package=${pair#*=}
	output=$package/zz_generated.go stamp=bin/generated/${package//\//-}
	want=$(inputs_of "$contract" "$package")$(sha256sum <"$output" 2>/dev/null || true)
	if [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then
		continue
	fi
	echo "generate $output"
	ordered=bin/generated/$(basename "$contract")
	go run tools/memberorder/main.go <"docs/$contract" >"$ordered"
	go tool -modfile=tools/go.mod oapi-codegen -config "$package/generate.yaml" "$ordered"
	sed -i '1i// SPDX-License-Identifier: Apache-2.0\n' "$output"
	(inputs_of "$contract" "$package" && sha256sum <"$output") | paste -sd '' >"$stamp"
done
