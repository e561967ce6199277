{{/* Pods of a component of this release. */}}
{{- define "printmarket.peer" -}}
- podSelector:
    matchLabels:
      {{- include "printmarket.selector" . | nindent 6 }}
{{- end }}

{{- define "printmarket.policyHead" -}}
{{- $root := index . 0 -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: printmarket-{{ index . 1 }}
  namespace: {{ $root.Release.Namespace | quote }}
  labels:
    {{- include "printmarket.labels" (list $root (index . 1)) | nindent 4 }}
{{- end }}

{{/* The ports of a policy: (list 443 6443). */}}
{{- define "printmarket.ports" -}}
ports:
  {{- range . }}
  - protocol: TCP
    port: {{ . }}
  {{- end }}
{{- end }}

{{/* Egress to the configured peers; to any address if the list is empty. */}}
{{- define "printmarket.toPeers" -}}
- {{ include "printmarket.ports" .ports | nindent 2 | trim }}
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "printmarket.toDNS" -}}
- ports:
    - protocol: UDP
      port: 53
    - protocol: TCP
      port: 53
  {{- with .Values.networkPolicy.dnsTo }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "printmarket.toDatabase" -}}
{{- if .Values.database.trial.enabled -}}
- {{ include "printmarket.ports" (list 5432) | nindent 2 | trim }}
  to:
    {{- include "printmarket.peer" "trial-database" | nindent 4 }}
{{- else -}}
{{ include "printmarket.toPeers" .Values.networkPolicy.database }}
{{- end }}
{{- end }}

{{- define "printmarket.toRedis" -}}
{{- if .Values.redis.trial.enabled -}}
- {{ include "printmarket.ports" (list 6379) | nindent 2 | trim }}
  to:
    {{- include "printmarket.peer" "trial-redis" | nindent 4 }}
{{- else -}}
{{ include "printmarket.toPeers" .Values.networkPolicy.redis }}
{{- end }}
{{- end }}

{{- define "printmarket.toCollector" -}}
{{- if .Values.telemetry.otlp.endpoint -}}
{{ include "printmarket.toPeers" .Values.networkPolicy.collector }}
{{- end }}
{{- end }}

{{- define "printmarket.toIdentityProvider" -}}
{{- if .Values.api.operators.oidc.issuer -}}
{{ include "printmarket.toPeers" .Values.networkPolicy.identityProvider }}
{{- end }}
{{- end }}

{{/* Prometheus at one port: (list $ port). */}}
{{- define "printmarket.fromMonitoring" -}}
- {{ include "printmarket.ports" (list (index . 1)) | nindent 2 | trim }}
  {{- with (index . 0).Values.networkPolicy.monitoringFrom }}
  from:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/*
Egress to partners' files and endpoints: public addresses without the special-purpose ranges. The worker also rejects
these ranges itself: (list $ $allowed).
*/}}
{{- define "printmarket.toPartners" -}}
- {{ include "printmarket.ports" (list 443) | nindent 2 | trim }}
  to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except:
          {{- (index . 0).Files.Lines "files/refused-ipv4.txt" | compact | toYaml | nindent 10 }}
    - ipBlock:
        cidr: 2000::/3
        except:
          {{- (index . 0).Files.Lines "files/refused-ipv6.txt" | compact | toYaml | nindent 10 }}
{{- with index . 1 }}
- to:
    {{- range . }}
    - ipBlock:
        cidr: {{ . | quote }}
    {{- end }}
{{- end }}
{{- end }}
