package main

import (
	"fmt"
	"strings"
)

func podName(index int) string {
	return fmt.Sprintf("web-%d-5d8f6b7c9-%05d", index%100, index)
}

// pod is the body that a ReplicaSet's controller sends.
func pod(index int) []byte {
	text := strings.ReplaceAll(podTemplate, "NAME", podName(index))
	text = strings.ReplaceAll(text, "CONTAINERS", container("app", 8080)+","+container("sidecar", 9090))
	return []byte(strings.ReplaceAll(text, "APP", fmt.Sprint(index%100)))
}

func container(name string, port int) string {
	text := strings.ReplaceAll(containerTemplate, "CONTAINER", name)
	return strings.ReplaceAll(text, "PORT", fmt.Sprint(port))
}

// podStatus is the body that a kubelet sends when all containers run.
func podStatus(index int) []byte {
	text := strings.ReplaceAll(statusTemplate, "ADDRESS", fmt.Sprintf("10.%d.%d.%d", index>>16, index>>8&255, index&255))
	text = strings.ReplaceAll(text, "STATUSES", containerStatus("app")+","+containerStatus("sidecar"))
	return []byte(text)
}

func containerStatus(name string) string {
	return strings.ReplaceAll(containerStatusTemplate, "CONTAINER", name)
}

func config(index int) []byte {
	return fmt.Appendf(nil, `{"metadata":{"name":"event-%d"},"data":{"text":%q}}`, index, strings.Repeat("x", 500))
}

const podTemplate = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"NAME","generateName":"web-APP-5d8f6b7c9-",
"labels":{"app":"app-APP","app.kubernetes.io/name":"web","app.kubernetes.io/part-of":"shop","tier":"frontend","pod-template-hash":"5d8f6b7c9"},
"annotations":{"prometheus.io/scrape":"true","prometheus.io/port":"9090","kubectl.kubernetes.io/restartedAt":"2026-01-01T00:00:00Z"},
"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-APP-5d8f6b7c9","uid":"6a3c2f10-0d7e-4a39-9d6f-1f2e3d4c5b6a","controller":true,"blockOwnerDeletion":true}]},
"spec":{"automountServiceAccountToken":false,"serviceAccountName":"default","restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","schedulerName":"default-scheduler",
"nodeName":"node-APP","priority":0,"preemptionPolicy":"PreemptLowerPriority","enableServiceLinks":true,
"securityContext":{"runAsNonRoot":true,"runAsUser":1000,"fsGroup":2000,"seccompProfile":{"type":"RuntimeDefault"}},
"initContainers":[{"name":"migrate","image":"images.example.com/team/migrate:v1.2.3","command":["/bin/migrate"],"args":["--to=latest"],"resources":{"requests":{"cpu":"50m","memory":"64Mi"}},"volumeMounts":[{"name":"config","mountPath":"/etc/app","readOnly":true}]}],
"containers":[CONTAINERS],
"volumes":[{"name":"config","configMap":{"name":"web-config"}},{"name":"secrets","secret":{"secretName":"web-secrets"}},{"name":"cache","emptyDir":{"sizeLimit":"1Gi"}},
{"name":"kube-api-access","projected":{"defaultMode":420,"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},{"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}]}}],
"affinity":{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"podAffinityTerm":{"labelSelector":{"matchLabels":{"app":"app-APP"}},"topologyKey":"kubernetes.io/hostname"}}]}},
"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":"ScheduleAnyway","labelSelector":{"matchLabels":{"app":"app-APP"}}}],
"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]}}`

const containerTemplate = `{"name":"CONTAINER","image":"images.example.com/team/CONTAINER:v1.2.3","imagePullPolicy":"IfNotPresent","args":["--config=/etc/app/config.yaml","--verbose","--listen=:PORT"],
"ports":[{"name":"http","containerPort":PORT,"protocol":"TCP"}],
"env":[{"name":"POD_NAME","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}},{"name":"POD_IP","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"status.podIP"}}},{"name":"MODE","value":"production"},
{"name":"DATABASE_PASSWORD","valueFrom":{"secretKeyRef":{"name":"web-secrets","key":"password"}}}],
"resources":{"requests":{"cpu":"100m","memory":"128Mi"},"limits":{"cpu":"500m","memory":"512Mi"}},
"livenessProbe":{"httpGet":{"path":"/healthz","port":PORT},"initialDelaySeconds":10,"periodSeconds":10},"readinessProbe":{"httpGet":{"path":"/readyz","port":PORT},"periodSeconds":5},
"securityContext":{"allowPrivilegeEscalation":false,"readOnlyRootFilesystem":true,"capabilities":{"drop":["ALL"]}},
"volumeMounts":[{"name":"config","mountPath":"/etc/app","readOnly":true},{"name":"secrets","mountPath":"/etc/secrets","readOnly":true},{"name":"cache","mountPath":"/var/cache/app"},{"name":"kube-api-access","mountPath":"/var/run/secrets/kubernetes.io/serviceaccount","readOnly":true}]}`

const statusTemplate = `{"status":{"phase":"Running","hostIP":"192.168.0.7","hostIPs":[{"ip":"192.168.0.7"}],"podIP":"ADDRESS","podIPs":[{"ip":"ADDRESS"}],"startTime":"2026-01-01T00:00:00Z","qosClass":"Burstable","conditions":[
{"type":"PodReadyToStartContainers","status":"True","lastTransitionTime":"2026-01-01T00:00:02Z"},{"type":"Initialized","status":"True","lastTransitionTime":"2026-01-01T00:00:03Z"},
{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:05Z"},{"type":"ContainersReady","status":"True","lastTransitionTime":"2026-01-01T00:00:05Z"},{"type":"PodScheduled","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}],
"containerStatuses":[STATUSES]}}`

const containerStatusTemplate = `{"name":"CONTAINER","ready":true,"started":true,"restartCount":0,"image":"images.example.com/team/CONTAINER:v1.2.3",
"imageID":"images.example.com/team/CONTAINER@sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
"containerID":"containerd://4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d","state":{"running":{"startedAt":"2026-01-01T00:00:04Z"}}}`
