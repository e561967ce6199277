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

{{/* Fails unless networkPolicy.open names a rule that would allow any peer: (list $ "name" "value"). */}}
{{- define "printmarket.mustBeOpen" -}}
{{- if not (has (index . 1) (index . 0).Values.networkPolicy.open) }}
{{- fail (printf "%s: the policy would allow any peer: set addresses, or add %s to networkPolicy.open" (index . 2) (index . 1)) }}
{{- end }}
{{- end }}

{{/* The destinations of a rule: (list $ "name" "value" $peers). Without peers the rule allows any. */}}
{{- define "printmarket.destinations" -}}
{{- with index . 3 -}}
to:
  {{- toYaml . | nindent 2 }}
{{- else }}
{{- include "printmarket.mustBeOpen" (list (index . 0) (index . 1) (index . 2)) }}
{{- end }}
{{- end }}

{{/* Egress to the peers of networkPolicy: (list $ "database"). */}}
{{- define "printmarket.toPeers" -}}
{{- $name := index . 1 }}
{{- $settings := get (index . 0).Values.networkPolicy $name -}}
- {{ include "printmarket.ports" $settings.ports | nindent 2 | trim }}
  {{- with include "printmarket.destinations" (list (index . 0) $name (printf "networkPolicy.%s.to" $name) $settings.to) }}
  {{- . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "printmarket.toDNS" -}}
- ports:
    - protocol: UDP
      port: 53
    - protocol: TCP
      port: 53
  {{- with include "printmarket.destinations" (list . "dnsTo" "networkPolicy.dnsTo" .Values.networkPolicy.dnsTo) }}
  {{- . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "printmarket.toDatabase" -}}
{{- if .Values.database.trial.enabled -}}
- {{ include "printmarket.ports" (list 5432) | nindent 2 | trim }}
  to:
    {{- include "printmarket.peer" "trial-database" | nindent 4 }}
{{- else -}}
{{ include "printmarket.toPeers" (list . "database") }}
{{- end }}
{{- end }}

{{- define "printmarket.toRedis" -}}
{{- if .Values.redis.trial.enabled -}}
- {{ include "printmarket.ports" (list 6379) | nindent 2 | trim }}
  to:
    {{- include "printmarket.peer" "trial-redis" | nindent 4 }}
{{- else -}}
{{ include "printmarket.toPeers" (list . "redis") }}
{{- end }}
{{- end }}

{{- define "printmarket.toCollector" -}}
{{- if .Values.telemetry.otlp.endpoint -}}
{{ include "printmarket.toPeers" (list . "collector") }}
{{- end }}
{{- end }}

{{- define "printmarket.toIdentityProvider" -}}
{{- if .Values.api.operators.oidc.issuer -}}
{{ include "printmarket.toPeers" (list . "identityProvider") }}
{{- end }}
{{- end }}

{{/* Ingress from the configured peers; without peers, no connection is allowed: (list $ "monitoringFrom" $ports). */}}
{{- define "printmarket.fromPeers" -}}
{{- $policy := (index . 0).Values.networkPolicy }}
{{- $peers := get $policy (index . 1) }}
{{- if or $peers (has (index . 1) $policy.open) -}}
- {{ include "printmarket.ports" (index . 2) | nindent 2 | trim }}
  {{- with $peers }}
  from:
    {{- toYaml . | nindent 4 }}
  {{- end }}
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
