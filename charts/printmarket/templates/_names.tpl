{{/*
Every object has a fixed name, because roles, flags and guides refer to it. So each namespace has one installation.
*/}}
{{- define "printmarket.selector" -}}
app.kubernetes.io/name: printmarket
app.kubernetes.io/component: {{ . }}
{{- end }}

{{/* Labels of an object: (list $ "component"). */}}
{{- define "printmarket.labels" -}}
{{- $root := index . 0 -}}
{{ include "printmarket.selector" (index . 1) }}
app.kubernetes.io/instance: {{ $root.Release.Name | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
app.kubernetes.io/part-of: printmarket
app.kubernetes.io/version: {{ include "printmarket.version" $root | quote }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name ($root.Chart.Version | replace "+" "_") }}
{{- end }}

{{/* Labels and annotations of a pod: (list $pod "component"). They do not change with the chart's version alone. */}}
{{- define "printmarket.podMetadata" -}}
{{- $pod := index . 0 -}}
labels:
  {{- include "printmarket.selector" (index . 1) | nindent 2 }}
  {{- with $pod.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with $pod.annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The tag as a label value. */}}
{{- define "printmarket.version" -}}
{{ regexReplaceAll "^[._-]+|[._-]+$" (.Values.image.tag | default .Chart.AppVersion | trunc 63) "" }}
{{- end }}

{{- define "printmarket.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{ .Values.image.repository }}:{{ $tag }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{/* An image whose tag may have a digest; an explicit digest replaces that one. */}}
{{- define "printmarket.trialImage" -}}
{{ .repository }}:{{ if .digest }}{{ splitList "@" .tag | first }}@{{ .digest }}{{ else }}{{ .tag }}{{ end }}
{{- end }}

{{- define "printmarket.ownerSecret" -}}
{{ if .Values.database.trial.enabled }}printmarket-trial-database-owner{{ else }}{{ .Values.database.external.ownerSecret }}{{ end }}
{{- end }}

{{- define "printmarket.apiDatabaseSecret" -}}
{{ if .Values.database.trial.enabled }}printmarket-trial-database{{ else }}{{ .Values.database.external.apiSecret }}{{ end }}
{{- end }}

{{- define "printmarket.workerDatabaseSecret" -}}
{{ if .Values.database.trial.enabled }}printmarket-trial-database-worker{{ else }}{{ .Values.database.external.workerSecret }}{{ end }}
{{- end }}

{{- define "printmarket.webhooksDatabaseSecret" -}}
{{ if .Values.database.trial.enabled }}printmarket-trial-database-webhooks{{ else }}{{ .Values.database.external.webhooksSecret }}{{ end }}
{{- end }}

{{- define "printmarket.apiRedisSecret" -}}
{{ if .Values.redis.trial.enabled }}printmarket-trial-redis{{ else }}{{ .Values.redis.external.secret }}{{ end }}
{{- end }}

{{- define "printmarket.workerRedisSecret" -}}
{{- if .Values.redis.trial.enabled }}printmarket-trial-redis-worker
{{- else }}{{ .Values.redis.external.workerSecret | default .Values.redis.external.secret }}{{ end }}
{{- end }}

{{/* The host of an origin, without its port. */}}
{{- define "printmarket.host" -}}
{{- $host := (urlParse .).host -}}
{{- regexReplaceAll ":[0-9]+$" $host "" -}}
{{- end }}
