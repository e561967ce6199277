{{/*
Common settings of all pods: the restricted Pod Security Standard, and scheduling. (list $ $pod)
*/}}
{{- define "printmarket.placement" -}}
{{- $root := index . 0 -}}
{{- $pod := index . 1 -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  {{- if $root.Values.files.existingClaim }}
  # The volume of uploaded files belongs to this group.
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  {{- end }}
  seccompProfile:
    type: RuntimeDefault
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

{{- define "printmarket.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "printmarket.selector" . | nindent 8 }}
    # Ignore the pods of the previous version, which are about to stop.
    matchLabelKeys: [pod-template-hash]
{{- end }}

{{- define "printmarket.containerImage" -}}
image: {{ include "printmarket.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "printmarket.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop:
      - ALL
{{- end }}

{{/* The mount of the file with a URL, which other processes of the user cannot read as easily as an environment.
Parameter: "database" or "redis". */}}
{{- define "printmarket.urlMount" -}}
- name: {{ . }}
  mountPath: /{{ . }}
  readOnly: true
{{- end }}

{{/* The volume of that file. Parameters: (list "database" "secret"). */}}
{{- define "printmarket.urlVolume" -}}
- name: {{ index . 0 }}
  secret:
    secretName: {{ index . 1 }}
    items:
      - key: url
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
{{- end }}
{{- end }}
{{- if .Values.tls.caSecret }}
# Go reads this directory in addition to the certificates of the image.
- name: SSL_CERT_DIR
  value: /server-ca
{{- end }}
{{- end }}

{{/* The CA certificates of PostgreSQL and Redis. Every pod that mounts them uses the database. */}}
{{- define "printmarket.caVolumes" -}}
{{- with .Values.tls.caSecret }}
- name: server-ca
  secret:
    secretName: {{ . | quote }}
    items:
      - key: ca.crt
        path: ca.crt
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

{{- define "printmarket.filesMount" -}}
{{- if .Values.files.existingClaim }}
- name: files
  mountPath: /files
{{- end }}
{{- end }}

{{- define "printmarket.caMounts" -}}
{{- if .Values.tls.caSecret }}
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
