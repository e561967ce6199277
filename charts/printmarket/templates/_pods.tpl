{{/*
Common settings of all pods: security and scheduling. (list $ $pod)
*/}}
{{- define "printmarket.placement" -}}
{{- $root := index . 0 -}}
{{- $pod := index . 1 -}}
{{- $context := deepCopy $pod.securityContext -}}
{{- if $root.Values.files.existingClaim -}}
{{- with $root.Values.files.fsGroup -}}
{{- $context = merge $context (dict "fsGroup" (int64 .) "fsGroupChangePolicy" "OnRootMismatch") -}}
{{- end -}}
{{- end -}}
securityContext:
  {{- toYaml $context | nindent 2 }}
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- with $pod.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $pod.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $pod.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $pod.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- end }}

{{/* Spread of the pods of a Deployment: (list $pod "component"). */}}
{{- define "printmarket.spread" -}}
{{- $component := index . 1 -}}
{{- $constraints := (index . 0).topologySpreadConstraints -}}
{{- if $constraints -}}
topologySpreadConstraints:
  {{- range $constraints }}
  # matchLabelKeys ignores the pods of the previous version, which are about to stop.
  {{- $defaults := dict "labelSelector" (dict "matchLabels" (include "printmarket.selector" $component | fromYaml)) "matchLabelKeys" (list "pod-template-hash") }}
  - {{ toYaml (merge (deepCopy .) $defaults) | nindent 4 | trim }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "printmarket.containerImage" -}}
image: {{ include "printmarket.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{/* The parameter is the settings of the pod. */}}
{{- define "printmarket.containerSecurity" -}}
securityContext:
  {{- toYaml .containerSecurityContext | nindent 2 }}
{{- end }}

{{/* The security context of containers of other images, such as those of trial servers. */}}
{{- define "printmarket.restricted" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop:
      - ALL
{{- end }}

{{/* Variables of the user, and files that provide variables. The parameter is the settings of the pod. */}}
{{- define "printmarket.moreVariables" -}}
{{- with .extraEnv }}
{{- toYaml . }}
{{- end }}
{{- end }}

{{- define "printmarket.envFrom" -}}
{{- with .envFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The volume with the token of the operations listener, and volumes of the user. (list $ $pod) */}}
{{- define "printmarket.moreVolumes" -}}
{{- with (index . 0).Values.diagnostics }}
{{- if .tokenSecret }}
- name: diagnostics
  secret:
    secretName: {{ .tokenSecret | quote }}
    items:
      - key: {{ .tokenKey | quote }}
        path: token
{{- end }}
{{- end }}
{{- with (index . 1).volumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "printmarket.moreMounts" -}}
{{- if (index . 0).Values.diagnostics.tokenSecret }}
- name: diagnostics
  mountPath: /diagnostics
  readOnly: true
{{- end }}
{{- with (index . 1).volumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Arguments for the operations listener; empty by default. */}}
{{- define "printmarket.diagnostics" -}}
{{- if .Values.diagnostics.tokenSecret }}
- --metrics-token-file=/diagnostics/token
{{- end }}
{{- if .Values.diagnostics.pprof }}
- --pprof
{{- end }}
{{- end }}

{{/* The mount of the file with a URL, which other processes of the user cannot read as easily as an environment.
Parameter: "database" or "redis". */}}
{{- define "printmarket.urlMount" -}}
- name: {{ . }}
  mountPath: /{{ . }}
  readOnly: true
{{- end }}

{{/* The volume of that file: (list $ "database" "secret"). Secrets of trial servers have the key url. */}}
{{- define "printmarket.urlVolume" -}}
{{- $server := index (index . 0).Values (index . 1) -}}
- name: {{ index . 1 }}
  secret:
    secretName: {{ index . 2 }}
    items:
      - key: {{ ternary "url" $server.urlKey $server.trial.enabled }}
        path: url
{{- end }}

{{/* The file with the URL of the database, and whether the server must be verified. */}}
{{- define "printmarket.databaseVariables" -}}
- name: PRINTMARKET_DATABASE_URL_FILE
  value: /database/url
{{- with .Values.database }}
{{- if or .insecure .trial.enabled }}
- name: PRINTMARKET_INSECURE_DATABASE
  value: "true"
{{- else }}
# The default for URLs without sslmode, such as those of operators of PostgreSQL.
- name: PGSSLMODE
  value: verify-full
{{- if or .ca.secretName .ca.configMapName }}
# A file that the driver reads again for each connection, so that a renewed authority needs no restart.
- name: PGSSLROOTCERT
  value: /server-ca/database.crt
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* The sources of the CA certificates of PostgreSQL and Redis; empty if neither has any. */}}
{{- define "printmarket.authorities" -}}
{{- range $server := list "database" "redis" }}
{{- with (index $.Values $server).ca }}
{{- if or .secretName .configMapName }}
- {{ ternary "secret" "configMap" (ne .secretName "") }}:
    name: {{ .secretName | default .configMapName | quote }}
    items:
      - key: {{ .key | quote }}
        path: {{ printf "%s.crt" $server }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* The CA certificates of PostgreSQL and Redis. Every pod that mounts them uses the database. */}}
{{- define "printmarket.caVolumes" -}}
{{- with include "printmarket.authorities" . }}
- name: server-ca
  projected:
    sources:
      {{- . | trim | nindent 6 }}
{{- end }}
{{- end }}

{{/* The volume of uploaded files and its mount; empty if uploads are disabled. */}}
{{- define "printmarket.filesVolume" -}}
{{- with .Values.files.existingClaim }}
- name: files
  persistentVolumeClaim:
    claimName: {{ . | quote }}
{{- end }}
{{- end }}

{{/* Arguments of processes that store files: API servers and preflight workers. */}}
{{- define "printmarket.filesArguments" -}}
{{- with .Values.files }}
{{- if .existingClaim }}
- --files-dir=/files
{{- if ne (int .lifetimeHours) 24 }}
- --files-lifetime={{ int .lifetimeHours }}h
{{- end }}
{{- if ne (int64 .maxStoredBytes) 4294967296 }}
- --files-max-stored={{ int64 .maxStoredBytes }}
{{- end }}
{{- with .scanCommand }}
- {{ printf "--scan-command=%s" . | quote }}
{{- end }}
{{- if and .scanCommand (ne (int .scanTimeoutSeconds) 60) }}
- --scan-timeout={{ int .scanTimeoutSeconds }}s
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "printmarket.filesMount" -}}
{{- if .Values.files.existingClaim }}
- name: files
  mountPath: /files
{{- end }}
{{- end }}

{{- define "printmarket.caMounts" -}}
{{- if include "printmarket.authorities" . }}
- name: server-ca
  mountPath: /server-ca
  readOnly: true
{{- end }}
{{- end }}

{{/* The file with the URL of Redis, and whether the server must be verified. */}}
{{- define "printmarket.redisVariables" -}}
- name: PRINTMARKET_REDIS_URL_FILE
  value: /redis/url
{{- with .Values.redis }}
{{- if or .insecure .trial.enabled }}
- name: PRINTMARKET_INSECURE_REDIS
  value: "true"
{{- end }}
{{- if or .ca.secretName .ca.configMapName }}
# Read again for each connection, like that of the database.
- name: PRINTMARKET_REDIS_CA_FILE
  value: /server-ca/redis.crt
{{- end }}
{{- end }}
{{- end }}

{{/* Environment variables for traces; empty if no endpoint is set. */}}
{{- define "printmarket.traces" -}}
{{- with .Values.telemetry.otlp }}
{{- if .endpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ .endpoint | quote }}
{{- with .headersSecret }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: headers
{{- end }}
- name: OTEL_TRACES_SAMPLER
  value: {{ .sampler }}
- name: OTEL_TRACES_SAMPLER_ARG
  value: {{ .ratio | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "printmarket.opsProbes" -}}
livenessProbe:
  httpGet:
    path: /livez
    port: ops
  timeoutSeconds: 5
readinessProbe:
  httpGet:
    path: /readyz
    port: ops
  periodSeconds: {{ . }}
  timeoutSeconds: 3
{{- end }}

{{/* A disruption budget: (list $ $settings "name" "component"). */}}
{{- define "printmarket.disruptionBudget" -}}
{{- $root := index . 0 -}}
{{- $settings := index . 1 -}}
{{- if $settings.enabled -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ index . 2 }}
  namespace: {{ $root.Release.Namespace | quote }}
  labels:
    {{- include "printmarket.labels" (list $root (index . 3)) | nindent 4 }}
spec:
  maxUnavailable: {{ $settings.maxUnavailable }}
  # A pod that is not ready serves no requests, so it may be evicted. Otherwise it could block a node drain forever.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "printmarket.selector" (index . 3) | nindent 6 }}
{{- end }}
{{- end }}
