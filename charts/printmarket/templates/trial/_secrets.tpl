{{/*
A password of the trial servers. It is kept over upgrades, and in the Secret over an uninstall too, because the volumes
are kept: (list $ "secret" "key").
*/}}
{{- define "printmarket.kept" -}}
{{- $found := lookup "v1" "Secret" (index . 0).Release.Namespace (index . 1) -}}
{{- $data := dict -}}
{{- if $found }}{{ $data = $found.data | default dict }}{{ end -}}
{{- $kept := get $data (index . 2) -}}
{{- if $kept }}{{ $kept | b64dec }}{{ else }}{{ randAlphaNum 40 }}{{ end -}}
{{- end }}

{{/* A Secret of a trial server: (list $ "name" "component" $data). */}}
{{- define "printmarket.trialSecret" -}}
{{- $root := index . 0 -}}
apiVersion: v1
kind: Secret
metadata:
  name: {{ index . 1 }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "printmarket.labels" (list $root (index . 2)) | nindent 4 }}
  annotations:
    helm.sh/resource-policy: keep
type: Opaque
data:
  {{- range $key, $value := index . 3 }}
  {{ $key }}: {{ b64enc $value }}
  {{- end }}
{{- end }}

{{- define "printmarket.trialSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ . }}
  runAsGroup: {{ . }}
  fsGroup: {{ . }}
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "printmarket.trialVolume" -}}
volumeClaimTemplates:
  - metadata:
      name: data
    spec:
      accessModes: [ReadWriteOnce]
      {{- with .className }}
      storageClassName: {{ . }}
      {{- end }}
      resources:
        requests:
          storage: {{ .size }}
{{- end }}
