{{- define "headwater.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* At most 50 characters: the names of the parts are added. */}}
{{- define "headwater.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "headwater.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "headwater.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "headwater.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* Of one part: list $root "collector". */}}
{{- define "headwater.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "headwater.name" $root }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- with index . 1 }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- define "headwater.labels" -}}
{{- $root := index . 0 -}}
{{ include "headwater.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The pod of one part: dict "root" $ "part" "collector" "values" .Values.collector "args" (list ...) "graceSeconds" n. */}}
{{- define "headwater.pod" -}}
{{- $root := .root -}}
metadata:
  labels:
    {{- include "headwater.labels" (list $root .part) | nindent 4 }}
  annotations:
    checksum/config: {{ include (print $root.Template.BasePath "/configmap.yaml") $root | sha256sum }}
    {{- if $root.Values.monitoring.scrapeAnnotations }}
    prometheus.io/scrape: "true"
    prometheus.io/port: {{ .values.port | quote }}
    prometheus.io/path: /metrics
    {{- end }}
    {{- with .values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- with $root.Values.serviceAccountName }}
  serviceAccountName: {{ . }}
  {{- end }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .graceSeconds }}
  securityContext:
    {{- toYaml $root.Values.podSecurityContext | nindent 4 }}
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .part }}
      image: {{ include "headwater.image" $root | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args:
        {{- toYaml .args | nindent 8 }}
      env:
        - name: HEADWATER_CONFIG
          value: /etc/headwater/headwater.toml
        {{- range $root.Values.secretEnv }}
        - name: {{ .name }}
          valueFrom:
            secretKeyRef:
              name: {{ .secretName }}
              key: {{ .key }}
        {{- end }}
      ports:
        - name: http
          containerPort: {{ .values.port }}
          protocol: TCP
      startupProbe:
        httpGet: {path: /healthz, port: http}
        {{- toYaml $root.Values.probes.startup | nindent 8 }}
      livenessProbe:
        httpGet: {path: /healthz, port: http}
        {{- toYaml $root.Values.probes.liveness | nindent 8 }}
      readinessProbe:
        httpGet: {path: /readyz, port: http}
        {{- toYaml $root.Values.probes.readiness | nindent 8 }}
      {{- if .preStopSeconds }}
      lifecycle:
        preStop:
          exec:
            command: [python, -c, "import time; time.sleep({{ .preStopSeconds }})"]
      {{- end }}
      resources:
        {{- toYaml .values.resources | nindent 8 }}
      securityContext:
        {{- toYaml $root.Values.securityContext | nindent 8 }}
      volumeMounts:
        - {name: config, mountPath: /etc/headwater/headwater.toml, subPath: headwater.toml, readOnly: true}
        - {name: tmp, mountPath: /tmp}
        - {name: data, mountPath: /data}
        {{- range $index, $file := $root.Values.secretFiles }}
        - {name: secret-{{ $index }}, mountPath: {{ $file.mountPath | quote }}, readOnly: true}
        {{- end }}
  volumes:
    - name: config
      configMap:
        name: {{ include "headwater.fullname" $root }}
    - name: tmp
      emptyDir: {sizeLimit: 64Mi}
    - name: data
      emptyDir: {sizeLimit: 64Mi}
    {{- range $index, $file := $root.Values.secretFiles }}
    - name: secret-{{ $index }}
      secret:
        secretName: {{ $file.secretName }}
        defaultMode: 0440
    {{- end }}
  {{- with .values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
  {{- if .values.topologySpreadConstraints }}
    {{- toYaml .values.topologySpreadConstraints | nindent 4 }}
  {{- else }}
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "headwater.selector" (list $root .part) | nindent 10 }}
  {{- end }}
{{- end -}}
