{{- define "printmarket.apiArguments" -}}
- apiserver
- --gate-secret=printmarket-gate-api
- --public-api-url={{ .Values.publicURL.api }}
- --public-registry-url={{ .Values.publicURL.registry }}
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
{{- with .Values.worker.allowFetch }}
- --allow-fetch={{ join "," . }}
{{- end }}
{{- if .Values.api.demoMasterData }}
- --demo-master-data
{{- end }}
{{- if .Values.api.operators.enabled }}
- --dashboard-ops-addr=:8084
{{- end }}
{{- if .Values.api.mtls.enabled }}
- --mtls-addr=:8443
- --mtls-cert=/mtls/tls.crt
- --mtls-key=/mtls/tls.key
{{- with .Values.api.mtls.proxies }}
{{- if .addresses }}
- --mtls-proxies={{ join "," .addresses }}
- --mtls-proxy-pins={{ join "," .pins }}
- --mtls-proxy-field={{ .field }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
