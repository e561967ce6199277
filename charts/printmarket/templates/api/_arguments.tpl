{{- define "printmarket.apiArguments" -}}
- apiserver
- --gate-secret=printmarket-gate-api
- --public-api-url={{ .Values.publicURL.api }}
- --public-registry-url={{ .Values.publicURL.registry }}
{{- with .Values.publicURL.dashboard }}
- --public-dashboard-url={{ . }}
{{- end }}
- --drain-settle={{ .Values.api.drainSettleSeconds }}s
{{- if ne (int .Values.api.databaseConnections) 20 }}
- --database-connections={{ .Values.api.databaseConnections }}
{{- end }}
{{- with .Values.api.gatesMaxStaleness }}
- --gates-max-staleness={{ . }}
{{- end }}
{{- with .Values.api.catalogMaxStaleness }}
- --catalog-max-staleness={{ . }}
{{- end }}
{{- with .Values.api.preflightTargetWait }}
- --preflight-target-wait={{ . }}
{{- end }}
{{- with .Values.api.connections }}
{{- if ne (int .max) 10000 }}
- --max-connections={{ int .max }}
{{- end }}
{{- if ne (int .maxPerAddress) 1000 }}
- --max-connections-per-address={{ int .maxPerAddress }}
{{- end }}
{{- with .proxies }}
- --connection-proxies={{ join "," . }}
{{- end }}
{{- end }}
{{- with .Values.worker.allowFetch }}
- --allow-fetch={{ join "," . }}
{{- end }}
{{- if .Values.worker.allowWideRanges }}
- --allow-wide-ranges
{{- end }}
{{- with include "printmarket.filesArguments" . }}
{{ . | trim }}
{{- end }}
{{- if .Values.api.masterDataSecondApprover }}
- --master-data-second-approver
{{- end }}
{{- if .Values.api.demoMasterData }}
- --demo-master-data
{{- end }}
{{- if .Values.api.operators.enabled }}
- --dashboard-ops-addr=:8084
{{- end }}
{{- with .Values.api.operators.oidc }}
{{- if .issuer }}
- {{ printf "--dashboard-ops-oidc-issuer=%s" .issuer | quote }}
- {{ printf "--dashboard-ops-oidc-client-id=%s" .clientID | quote }}
- {{ printf "--dashboard-ops-oidc-redirect-url=%s" .redirectURL | quote }}
{{- range .groups }}
- {{ printf "--dashboard-ops-oidc-group=%s" . | quote }}
{{- end }}
- {{ printf "--dashboard-ops-oidc-groups-claim=%s" .groupsClaim | quote }}
- {{ printf "--dashboard-ops-oidc-scope=%s" (join "," .scopes) | quote }}
{{- if .existingSecret }}
- --dashboard-ops-oidc-client-secret-file=/oidc/client-secret
{{- end }}
{{- if .caSecret }}
- --dashboard-ops-oidc-ca-file=/oidc/ca.crt
{{- end }}
{{- end }}
{{- end }}
{{- if .Values.api.mtls.enabled }}
- --mtls-addr=:8443
- --mtls-cert=/mtls/tls.crt
- --mtls-key=/mtls/tls.key
{{- if .Values.api.mtls.internal }}
{{- if .Values.ingress.mtls.enabled }}
{{- fail "api.mtls.internal: the Ingress for mutual TLS would lead to the bridge and the platform API: disable ingress.mtls or api.mtls.internal" }}
{{- end }}
- --mtls-internal
{{- end }}
{{- with .Values.api.mtls.proxies }}
{{- if .addresses }}
- --mtls-proxies={{ join "," .addresses }}
- --mtls-proxy-pins={{ join "," .pins }}
- --mtls-proxy-field={{ .field }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Volumes with the files of an API server; empty if it needs none. */}}
{{- define "printmarket.apiVolumes" -}}
{{- include "printmarket.caVolumes" . }}
{{- if .Values.api.mtls.enabled }}
- name: mtls
  secret:
    secretName: {{ .Values.api.mtls.secretName | quote }}
{{- end }}
{{- with .Values.api.operators.oidc }}
{{- if or .existingSecret .caSecret }}
- name: oidc
  projected:
    sources:
      {{- with .existingSecret }}
      - secret:
          name: {{ . | quote }}
          items:
            - key: client-secret
              path: client-secret
      {{- end }}
      {{- with .caSecret }}
      - secret:
          name: {{ . | quote }}
          items:
            - key: ca.crt
              path: ca.crt
      {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Their mounts: directories, so that renewed files are visible. */}}
{{- define "printmarket.apiMounts" -}}
{{- range include "printmarket.apiVolumes" . | fromYamlArray }}
- name: {{ .name }}
  mountPath: /{{ .name }}
  readOnly: true
{{- end }}
{{- end }}
