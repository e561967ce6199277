{{/*
A password of the trial servers. Upgrades keep it, and an uninstall keeps its Secret, because it keeps the volumes:
(list $ "secret" "key").
*/}}
{{- define "printmarket.kept" -}}
{{- $found := lookup "v1" "Secret" (index . 0).Release.Namespace (index . 1) -}}
{{- $data := dict -}}
{{- if $found }}{{ $data = $found.data | default dict }}{{ end -}}
{{- $kept := get $data (index . 2) -}}
{{- $password := randAlphaNum 40 -}}
{{- if $kept }}{{ $password = $kept | b64dec }}{{ end -}}
{{- /* URLs and the users of Redis contain it, and other characters would need escaping there. */ -}}
{{- if not (regexMatch "^[A-Za-z0-9]{16,128}$" $password) -}}
{{- fail (printf "the Secret %s: its key %s must be 16 to 128 letters and digits" (index . 1) (index . 2)) -}}
{{- end -}}
{{- $password -}}
{{- end }}

{{/* A Secret of a trial server: (list $ "name" "component" $data). */}}
{{- define "printmarket.trialSecret" -}}
{{- $root := index . 0 -}}
apiVersion: v1
kind: Secret
metadata:
  name: {{ index . 1 }}
  namespace: {{ $root.Release.Namespace | quote }}
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
  {{- if . }}
  runAsUser: {{ . | int64 }}
  runAsGroup: {{ . | int64 }}
  fsGroup: {{ . | int64 }}
  {{- end }}
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
      storageClassName: {{ . | quote }}
      {{- end }}
      resources:
        requests:
          storage: {{ .size | quote }}
{{- end }}
