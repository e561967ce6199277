{{/*
The paths of the published contracts, of webhooks and of shared reports. The platform API and the bridge (/api/v1/platform, and
media-catalog, devices and master-data-export below /api/v1/xjdf) are not for the public. A test compares this list with
the contracts.
*/}}
{{- define "printmarket.partnerPaths" -}}
- {path: /.well-known/api-catalog, type: Prefix}
- {path: /api/v1/account, type: Prefix}
- {path: /api/v1/catalog, type: Prefix}
- {path: /api/v1/costing, type: Prefix}
- {path: /api/v1/estimate, type: Prefix}
- {path: /api/v1/files, type: Prefix}
- {path: /api/v1/orders, type: Prefix}
- {path: /api/v1/preflight, type: Prefix}
- {path: /api/v1/rfq, type: Prefix}
- {path: /api/v1/sessions, type: Prefix}
- {path: /api/v1/webhooks, type: Prefix}
- {path: /api/v1/xjdf, type: Exact}
- {path: /api/v1/xjdf/capabilities, type: Prefix}
- {path: /api/v1/xjdf/openapi, type: Prefix}
- {path: /api/v1/xjdf/validate, type: Prefix}
- {path: /api/v1/xjmf/states, type: Exact}
- {path: /docs/api, type: Prefix}
- {path: /shared, type: Prefix}
{{- end }}

{{/* An Ingress: (list $ $settings "name" "service" "port" "host" $paths). */}}
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
          - path: {{ .path }}
            pathType: {{ .type }}
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

{{/* An HTTPRoute: (list $ "name" port "host" $paths). */}}
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
            type: {{ eq .type "Prefix" | ternary "PathPrefix" .type }}
            value: {{ .path }}
        {{- end }}
      backendRefs:
        - name: printmarket-api
          port: {{ $port }}
    {{- end }}
{{- end }}
