import type { Suite } from "../golden-case.ts";

const many = `apiVersion: v1
kind: Pod
metadata:
  name: full
  namespace: shop
  labels: {a: b, app: full}
  annotations: {note: "two\\nlines", one: line}
spec:
  priorityClassName: high
  nodeSelector: {disk: ssd}
  tolerations:
  - {key: k, operator: Exists, effect: NoSchedule}
  - {key: v, value: x}
  securityContext: {seccompProfile: {type: RuntimeDefault}}
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {a: b}}}
  initContainers:
  - {name: init, image: busybox, command: [sh, -c, "echo 1"]}
  containers:
  - name: main
    image: nginx:1.27
    args: [--a, "b c"]
    ports: [{containerPort: 80, hostPort: 8080}, {containerPort: 53, protocol: UDP}]
    resources: {requests: {cpu: 100m, memory: 1Gi}, limits: {cpu: "1"}}
    env:
    - {name: A, value: b}
    - {name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
    - {name: S, valueFrom: {secretKeyRef: {name: s, key: k, optional: true}}}
    - {name: C, valueFrom: {configMapKeyRef: {name: c, key: k}}}
    - {name: R, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1m}}}
    envFrom: [{configMapRef: {name: all}}, {secretRef: {name: all, optional: true}, prefix: P_}]
    livenessProbe: {httpGet: {path: /healthz, port: 80}, initialDelaySeconds: 3}
    readinessProbe: {tcpSocket: {port: 80}}
    startupProbe: {exec: {command: [cat, /ready]}}
    volumeMounts:
    - {name: data, mountPath: /data}
    - {name: conf, mountPath: /conf, readOnly: true, subPath: x}
  - {name: side, image: busybox, lifecycle: {}, stdin: true}
  volumes:
  - {name: data, emptyDir: {sizeLimit: 1Gi, medium: Memory}}
  - {name: conf, configMap: {name: conf, optional: true}}
  - {name: sec, secret: {secretName: sec}}
  - {name: host, hostPath: {path: /var, type: Directory}}
  - {name: claim, persistentVolumeClaim: {claimName: claim, readOnly: true}}
  - {name: nfs, nfs: {server: s, path: /p}}
  - {name: csi, csi: {driver: d, volumeAttributes: {a: b}}}
  - name: down
    downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}
  - name: proj
    projected: {sources: [{secret: {name: s}}, {configMap: {name: c}}, {downwardAPI: {items: []}}]}
`;

const workloads = `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: postgres, ports: [{containerPort: 5432}]}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: shop}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {nodeSelector: {a: b}, containers: [{name: agent, image: agent}]}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: rs, namespace: shop, annotations: {a: b}}
spec:
  selector: {matchLabels: {app: rs}}
  template:
    metadata: {labels: {app: rs}}
    spec: {containers: [{name: rs, image: rs, env: [{name: A, value: b}]}], serviceAccountName: sa}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: rc, namespace: shop}
spec:
  selector: {app: rc}
  template:
    metadata: {labels: {app: rc}}
    spec: {containers: [{name: rc, image: rc}], volumes: [{name: v, emptyDir: {}}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: job, namespace: shop}
spec:
  completions: 3
  template:
    metadata: {labels: {app: job}}
    spec: {restartPolicy: Never, containers: [{name: job, image: job}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: cron, namespace: shop}
spec:
  schedule: "*/5 * * * *"
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: job, image: job}]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota, namespace: other}
spec: {hard: {pods: "3", cpu: "1"}, scopes: [NotTerminating]}
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits, namespace: other}
spec: {limits: [{type: Container, default: {memory: 512Mi}}]}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv}
spec: {capacity: {storage: 5Gi}, accessModes: [ReadWriteOnce, ReadOnlyMany], hostPath: {path: /x}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: claim, namespace: shop}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: example.com/fast
parameters: {a: b}
mountOptions: [ro]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: front, namespace: shop, annotations: {x: y}}
spec:
  ingressClassName: nginx
  tls: [{hosts: [a.example], secretName: tls}, {hosts: [b.example]}]
  defaultBackend: {service: {name: missing, port: {number: 80}}}
  rules:
  - host: a.example
    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: nginx}
spec: {controller: example.com/nginx}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: budget, namespace: shop}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: low}
value: 5
description: not much
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: shop}
rules:
- {apiGroups: [""], resources: [pods, pods/log], verbs: [get, list]}
- {apiGroups: [apps], resources: [deployments], resourceNames: [a, b], verbs: [get, get, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: urls}
rules:
- {nonResourceURLs: [/healthz, /version], verbs: [get, head]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: User, name: jane}, {kind: ServiceAccount, name: bot, namespace: shop}]
---
apiVersion: v1
kind: Service
metadata: {name: nodes, namespace: shop}
spec: {type: NodePort, selector: {app: web}, ports: [{port: 80, nodePort: 30080, name: http, appProtocol: http}]}
---
apiVersion: v1
kind: Service
metadata: {name: ext, namespace: shop}
spec: {type: ExternalName, externalName: example.com}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: nodes-1, namespace: shop, labels: {kubernetes.io/service-name: nodes}}
addressType: IPv4
ports: [{name: http, port: 8080}]
endpoints:
- {addresses: [10.9.0.1]}
- {addresses: [10.9.0.2], conditions: {ready: false}}
- {addresses: [10.9.0.3]}
- {addresses: [10.9.0.4]}
- {addresses: [10.9.0.5]}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: held, namespace: shop}
spec: {holderIdentity: me, leaseDurationSeconds: 15}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: bot, namespace: shop}
imagePullSecrets: [{name: one}, {name: two}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: conf, namespace: shop}
data: {b: "1", a: "two\\nlines\\n"}
binaryData: {bin: AAEC}
---
apiVersion: v1
kind: Secret
metadata: {name: sec, namespace: shop}
stringData: {password: hunter2}
`;

export const suite: Suite = {
  name: "describe",
  files: {
    "full.yaml": many,
    "workloads.yaml": workloads,
    "cm.yaml":
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: conf\n  namespace: shop\ndata:\n  b: '2'\n",
    "new.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: brand-new\ndata:\n  b: '2'\n",
    "bad.yaml": "apiVersion: v1\nkind: Nothing\nmetadata:\n  name: x\n",
  },
  cases: [
    "kubectl create priorityclass high --value=10",
    "kubectl create -f workloads.yaml",
    "kubectl create -f full.yaml",
    "kubectl describe",
    "kubectl describe foo",
    "kubectl describe pods/missing -n shop",
    "kubectl describe pod web missing -n shop",
    "kubectl describe pods -n nothing",
    "kubectl describe foo/bar/baz",
    "kubectl describe pods -l x in",
    "kubectl describe -f missing.yaml",
    "kubectl describe -f cm.yaml",
    "kubectl describe pods --foo",
    "kubectl describe pod full -n shop",
    "kubectl describe pod web-1 -n shop",
    "kubectl describe pod web-1 -n shop --show-events=false",
    "kubectl describe pod web -n shop",
    "kubectl describe pods -n shop",
    "kubectl describe pods -n shop -l app=web",
    "kubectl describe pods -A",
    "kubectl describe nodes",
    "kubectl describe node/node-1",
    "kubectl describe ns",
    "kubectl describe ns shop other",
    "kubectl describe svc -A",
    "kubectl describe svc nodes ext -n shop",
    "kubectl describe deployments -A",
    "kubectl describe statefulset db -n shop",
    "kubectl describe daemonset agent -n shop",
    "kubectl describe rs rs -n shop",
    "kubectl describe rc rc -n shop",
    "kubectl describe job job -n shop",
    "kubectl describe cronjob cron -n shop",
    "kubectl describe quota quota -n other",
    "kubectl describe limits limits -n other",
    "kubectl describe pv pv",
    "kubectl describe pvc claim -n shop",
    "kubectl describe sc fast",
    "kubectl describe ingress front -n shop",
    "kubectl describe ingressclass nginx",
    "kubectl describe pdb budget -n shop",
    "kubectl describe priorityclass low",
    "kubectl describe role reader -n shop",
    "kubectl describe clusterrole urls",
    "kubectl describe clusterrole admin",
    "kubectl describe clusterrolebinding cluster-admin",
    "kubectl describe rolebinding readers -n shop",
    "kubectl describe sa bot -n shop",
    "kubectl describe cm conf -n shop",
    "kubectl describe cm conf -n shop --show-events=false",
    "kubectl describe secret sec -n shop",
    "kubectl describe endpointslice nodes-1 -n shop",
    "kubectl describe runtimeclass",
    "kubectl describe lease held -n shop",
    "kubectl describe events -n shop",
    "kubectl diff",
    "kubectl diff -f cm.yaml",
    "kubectl diff -f new.yaml",
    "kubectl diff -f bad.yaml",
    "kubectl diff -f missing.yaml",
    "kubectl diff -f cm.yaml --server-side --force-conflicts",
    "kubectl diff -f cm.yaml --force-conflicts",
    "kubectl diff -f cm.yaml foo",
    { command: "kubectl diff -f cm.yaml", env: { KUBECTL_EXTERNAL_DIFF: "false" } },
    { command: "kubectl diff -f cm.yaml", env: { KUBECTL_EXTERNAL_DIFF: "missing-program" } },
    "kubectl apply -f cm.yaml",
    "kubectl diff -f cm.yaml",
  ],
};
