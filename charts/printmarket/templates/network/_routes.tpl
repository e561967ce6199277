{{/*
The prefixes that partners use; /api/v1/platform is for the marketplace only. A test compares this list with the
contracts.
*/}}
{{- define "printmarket.partnerPrefixes" -}}
- /.well-known/api-catalog
- /api/v1/account
- /api/v1/catalog
- /api/v1/costing
- /api/v1/estimate
- /api/v1/orders
- /api/v1/preflight
- /api/v1/rfq
- /api/v1/sessions
- /api/v1/webhooks
- /api/v1/xjdf
- /docs/api
{{- end }}

{{/* An Ingress: (list $ $settings "name" "service" "port" "host" $prefixes). */}}
{{- define "printmarket.ingress" -}}
{{- $root := index . 0 -}}
{{- $settings := index . 1 -}}
{{- $service := index . 3 -}}
{{- $port := index . 4 -}}
{{- $host := index . 5 -}}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: printmarket-{{ index . 2 }}
  namespace: {{ $root.Release.Namespace | quote }}
  labels:
    {{- include "printmarket.labels" (list $root "api") | nindent 4 }}
  {{- with $settings.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with $settings.className }}
  ingressClassName: {{ . | quote }}
  {{- end }}
  rules:
    - host: {{ $host | quote }}
      http:
        paths:
          {{- range index . 6 }}
          - path: {{ . }}
            pathType: Prefix
            backend:
              service:
                name: {{ $service }}
                port:
                  name: {{ $port }}
          {{- end }}
  {{- with $settings.tlsSecret }}
  tls:
    - hosts:
        - {{ $host | quote }}
      secretName: {{ . | quote }}
  {{- end }}
{{- end }}

{{/* An HTTPRoute: (list $ "name" port "host" $prefixes). */}}
{{- define "printmarket.httpRoute" -}}
{{- $root := index . 0 -}}
{{- $gateway := $root.Values.gateway -}}
{{- $port := index . 2 -}}
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: printmarket-{{ index . 1 }}
  namespace: {{ $root.Release.Namespace | quote }}
  labels:
    {{- include "printmarket.labels" (list $root "api") | nindent 4 }}
  {{- with $gateway.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  parentRefs:
    {{- toYaml $gateway.parentRefs | nindent 4 }}
  hostnames:
    - {{ index . 3 | quote }}
  rules:
    # Older releases accept at most eight matches per rule.
    {{- range chunk 8 (index . 4) }}
    - matches:
        {{- range . }}
        - path:
            type: PathPrefix
            value: {{ . }}
        {{- end }}
      backendRefs:
        - name: printmarket-api
          port: {{ $port }}
    {{- end }}
{{- end }}
