import type { Suite } from "../golden-case.ts";

const scaled = (name: string, rest: string): string => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: ${name}, namespace: shop, labels: {a: b}, annotations: {note: x}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 9
${rest}`;

const autoscalers = [
  scaled(
    "plain",
    "  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}]\n",
  ),
  scaled("auto", "  minReplicas: 2\n"),
  scaled(
    "all",
    `  metrics:
  - {type: Resource, resource: {name: memory, target: {type: AverageValue, averageValue: 200Mi}}}
  - type: ContainerResource
    containerResource: {name: cpu, container: app, target: {type: Utilization, averageUtilization: 50}}
  - type: ContainerResource
    containerResource: {name: cpu, container: app, target: {type: AverageValue, averageValue: 500m}}
  - {type: Pods, pods: {metric: {name: rps}, target: {type: AverageValue, averageValue: 1k}}}
  - type: Object
    object:
      metric: {name: hits}
      describedObject: {apiVersion: networking.k8s.io/v1, kind: Ingress, name: main}
      target: {type: Value, value: "10"}
  - type: Object
    object:
      metric: {name: hits}
      describedObject: {apiVersion: networking.k8s.io/v1, kind: Ingress, name: main}
      target: {type: AverageValue, averageValue: "3"}
  - {type: External, external: {metric: {name: queue}, target: {type: Value, value: "30"}}}
  - {type: External, external: {metric: {name: queue}, target: {type: AverageValue, averageValue: "3"}}}
  behavior:
    scaleUp:
      stabilizationWindowSeconds: 5
      policies: [{type: Pods, value: 4, periodSeconds: 60}, {type: Percent, value: 10, periodSeconds: 30}]
    scaleDown: {selectPolicy: Disabled}
`,
  ),
].join("---\n");

/** The status of `all`, in the order of its metrics. */
const measured = JSON.stringify({
  status: {
    currentReplicas: 3,
    desiredReplicas: 4,
    currentMetrics: [
      { type: "Resource", resource: { name: "memory", current: { averageValue: "150Mi" } } },
      {
        type: "ContainerResource",
        containerResource: {
          name: "cpu",
          container: "app",
          current: { averageUtilization: 40, averageValue: "400m" },
        },
      },
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", container: "app", current: { averageValue: "300m" } },
      },
      { type: "Pods", pods: { metric: { name: "rps" }, current: { averageValue: "900" } } },
      {
        type: "Object",
        object: {
          metric: { name: "hits" },
          describedObject: { kind: "Ingress", name: "main" },
          current: { value: "7" },
        },
      },
    ],
    conditions: [
      { type: "AbleToScale", status: "True", reason: "ReadyForNewScale", message: "all is well" },
      { type: "ScalingActive", status: "False" },
    ],
  },
});

const policies = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: open, namespace: shop}
spec: {podSelector: {}, ingress: [{}], egress: [{}], policyTypes: [Ingress, Egress]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: shop, labels: {a: b}}
spec: {podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: out, namespace: shop}
spec: {podSelector: {matchExpressions: [{key: a, operator: In, values: [v, w]}]}, policyTypes: [Egress]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: fine, namespace: shop, annotations: {why: because}}
spec:
  podSelector: {matchLabels: {app: web}}
  ingress:
  - ports: [{port: 80}, {port: dns, protocol: UDP}, {port: 1000, endPort: 2000}]
    from:
    - {podSelector: {matchLabels: {a: b}}}
    - {namespaceSelector: {}}
    - {namespaceSelector: {matchLabels: {team: x}}, podSelector: {matchLabels: {c: d}}}
  - from: [{ipBlock: {cidr: 10.9.0.0/16, except: [10.9.1.0/24, 10.9.2.0/24]}}]
  egress:
  - ports: [{protocol: SCTP}]
    to: [{ipBlock: {cidr: "fd00::/8"}}]
  policyTypes: [Ingress, Egress]
`;

const requests = `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: jane, labels: {a: b, c: d}, annotations: {x: z}}
spec:
  request: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQnZUQ0NBV01DQVFBd2daa3hDekFKQmdOVkJBWVRBa1JGTVFzd0NRWURWUVFHRXdKR1VqRUxNQWtHQTFVRQpDQXdDUWtVeER6QU5CZ05WQkFjTUJrSmxjbXhwYmpFTk1Bc0dBMVVFQ1F3RVRXRnBiakVLTUFnR0ExVUVFUXdCCk1URU5NQXNHQTFVRUNnd0VaR1YyY3pFTU1Bb0dBMVVFQ2d3RGIzQnpNUXd3Q2dZRFZRUUxEQU52Ym1VeERUQUwKQmdOVkJBTU1CR3BoYm1VeENqQUlCZ05WQkFVVEFUY3dXVEFUQmdjcWhrak9QUUlCQmdncWhrak9QUU1CQndOQwpBQVQxN1owWVhHOEVHY1Y3N1h6Mk1rUm5obXU3bVFoRm5Oak9MZUtTM3R3TUl5UFJWVlcrMVQ4czZxeG5CK2IzCmlBMHIxcTdTM1FWZW9NcHJrUi92Y3I0VW9HY3daUVlKS29aSWh2Y05BUWtPTVZnd1ZqQlVCZ05WSFJFRVRUQkwKZ2dsaExtVjRZVzF3YkdXQ0NXSXVaWGhoYlhCc1pZY0VDZ0VDQTRjUS9RQUFBQUFBQUFBQUFBQUFBQUFBQVlFTgplRUJsZUdGdGNHeGxMbU52YllZTWMzQnBabVpsT2k4dllTOWlNQW9HQ0NxR1NNNDlCQU1DQTBnQU1FVUNJUUN6Ck10bzZPSHl3YVdKNnNQTkd3UExWTkYvTWdSVzA4RmpyQlViVlNTR0ozQUlnZElkWWVWOGswRzZOT285aWg3MkIKYWZvT3NsZnJBTDNmZ2xNeEllMnlMbTQ9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=
  signerName: example.com/any
  expirationSeconds: 7200
  usages: [client auth]
---
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: bob}
spec:
  request: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISE1IQUNBUUF3RGpFTU1Bb0dBMVVFQXd3RFltOWlNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRApRZ0FFUXlrTmFHUGZwZzVsSklsRTNMOXBaUmc3MWpwVjFXL08vZE8yR3ptbnNlWGhsWnh4ODlnOXBENWRnSkErClRWQjgxcEQrQlF4OFBPWDdMYTk2Z2pOb01hQUFNQW9HQ0NxR1NNNDlCQU1DQTBjQU1FUUNJR3EwUlJqZFBZT0MKV05sdXpuMkJaV2RmcERkcFJxRVFvK3FvSkRHaEMycjZBaUFMbVl3d1BxejJWUFl4Z2NXSjdscnpzamNlaW10RAo2bXA2b2JETkFEUnc5dz09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=
  signerName: kubernetes.io/kube-apiserver-client
  usages: [client auth]
`;

const classes = `apiVersion: storage.k8s.io/v1
kind: VolumeAttributesClass
metadata: {name: gold, annotations: {a: b}}
driverName: csi.example.com
parameters: {iops: "100", type: fast}
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: node-9, labels: {a: b}}
spec:
  drivers:
  - {name: one.example.com, nodeID: n1, topologyKeys: [zone, rack], allocatable: {count: 5}}
  - {name: two.example.com, nodeID: n2}
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: node-8}
spec: {drivers: []}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: zoned}
provisioner: example.com/z
reclaimPolicy: Retain
allowVolumeExpansion: true
volumeBindingMode: WaitForFirstConsumer
allowedTopologies:
- matchLabelExpressions: [{key: zone, values: [a, b]}, {key: rack, values: [r1]}]
---
apiVersion: networking.k8s.io/v1
kind: ServiceCIDR
metadata: {name: more, labels: {a: b}}
spec: {cidrs: [10.77.0.0/24]}
---
apiVersion: networking.k8s.io/v1
kind: IPAddress
metadata: {name: 10.77.0.9, labels: {ipaddress.kubernetes.io/managed-by: me}}
spec: {parentRef: {resource: services, namespace: shop, name: web}}
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: gvisor}
handler: runsc
overhead: {podFixed: {memory: 10Mi}}
scheduling: {nodeSelector: {a: b}, tolerations: [{key: k, operator: Exists}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: most, namespace: shop}
spec: {maxUnavailable: 20%}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota, namespace: shop}
spec: {hard: {pods: "30", requests.cpu: 2500m, requests.memory: 2Gi}, scopes: [NotTerminating]}
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits, namespace: shop}
spec:
  limits:
  - {type: Container, default: {cpu: 500m}, min: {cpu: 10m}, max: {cpu: "2"}, maxLimitRequestRatio: {cpu: "10"}}
  - {type: PersistentVolumeClaim, min: {storage: 1Gi}}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: with-parameters, annotations: {ingressclass.kubernetes.io/is-default-class: "true"}}
spec: {controller: example.com/c, parameters: {apiGroup: k8s.example.com, kind: Params, name: p}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: bucket, namespace: shop, labels: {a: b}}
spec:
  defaultBackend: {resource: {apiGroup: k8s.example.com, kind: Bucket, name: b}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: empty, namespace: shop}
addressType: FQDN
endpoints: []
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: gpus}
spec:
  nodeName: node-1
  driver: gpu.example.com
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices: [{name: a}, {name: b}]
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: csi-volume, finalizers: [example.com/keep]}
spec:
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteMany]
  volumeMode: Block
  storageClassName: zoned
  persistentVolumeReclaimPolicy: Delete
  claimRef: {namespace: shop, name: data}
  csi: {driver: d.example.com, volumeHandle: h, fsType: ext4, readOnly: true, volumeAttributes: {b: "2", a: "1"}}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a, b]}]}]}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: copy, namespace: shop, annotations: {a: b}}
spec:
  accessModes: [ReadWriteOncePod]
  volumeName: some
  volumeMode: Filesystem
  dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: snap}
  resources: {requests: {storage: 1Gi}}
`;

const volumes = `apiVersion: v1
kind: Pod
metadata: {name: volumes, namespace: shop}
spec:
  runtimeClassName: gvisor
  readinessGates: [{conditionType: example.com/gate}]
  resources: {requests: {cpu: "3"}}
  ephemeralContainers: []
  containers:
  - name: a
    image: a
    volumeDevices: [{name: claim, devicePath: /dev/xvda}]
    livenessProbe: {grpc: {port: 5}, timeoutSeconds: 4}
    readinessProbe: {httpGet: {path: /r, port: web, scheme: HTTPS, host: h}}
    securityContext: {seccompProfile: {type: Localhost, localhostProfile: p}}
  volumes:
  - {name: claim, persistentVolumeClaim: {claimName: claim}}
  - {name: eph, ephemeral: {volumeClaimTemplate: {metadata: {labels: {a: b}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}
  - {name: iscsi, iscsi: {targetPortal: "1.2.3.4", iqn: "iqn.2001-04.com.example:x", lun: 0, fsType: ext4}}
  - {name: fc, fc: {targetWWNs: [a, b], lun: 2}}
  - {name: image, image: {reference: "example/image:1", pullPolicy: Never}}
  - {name: ebs, awsElasticBlockStore: {volumeID: v, fsType: ext4, partition: 1}}
  - {name: gce, gcePersistentDisk: {pdName: pd}}
  - {name: adisk, azureDisk: {diskName: d, diskURI: "https://a.blob.core.windows.net/c/d.vhd"}}
  - {name: afile, azureFile: {secretName: s, shareName: share}}
  - {name: ceph, cephfs: {monitors: ["1.2.3.4:5"], user: u}}
  - {name: rbd, rbd: {monitors: ["1.2.3.4:5"], image: i}}
  - {name: cinder, cinder: {volumeID: v}}
  - {name: flex, flexVolume: {driver: d/e, options: {a: b}}}
  - {name: flocker, flocker: {datasetName: d}}
  - {name: gluster, glusterfs: {endpoints: e, path: p}}
  - {name: git, gitRepo: {repository: r, revision: v}}
  - {name: photon, photonPersistentDisk: {pdID: p}}
  - {name: portworx, portworxVolume: {volumeID: v}}
  - {name: quobyte, quobyte: {registry: "r:1", volume: v}}
  - {name: scale, scaleIO: {gateway: g, system: s, secretRef: {name: sec}, volumeName: v}}
  - {name: os, storageos: {volumeName: v, volumeNamespace: ns}}
  - {name: vsphere, vsphereVolume: {volumePath: p}}
  - name: proj
    projected:
      sources:
      - {serviceAccountToken: {path: t, expirationSeconds: 3600}}
      - {secret: {name: s, optional: true}}
      - {configMap: {name: c, optional: false}}
      - {clusterTrustBundle: {name: b, path: p}}
      - {downwardAPI: {items: [{path: l, fieldRef: {fieldPath: metadata.labels}}]}}
`;

const persistent = (name: string, source: string): string => `apiVersion: v1
kind: PersistentVolume
metadata: {name: ${name}}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], ${source}}
`;

const persistentVolumes = [
  persistent("pv-nfs", "nfs: {server: s, path: /p}"),
  persistent(
    "pv-local",
    "local: {path: /l}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}",
  ),
  persistent(
    "pv-iscsi",
    "iscsi: {targetPortal: 1.2.3.4, iqn: 'iqn.2001-04.com.example:x', lun: 1, initiatorName: 'iqn.2001-04.com.example:i'}",
  ),
  persistent("pv-gluster", "glusterfs: {endpoints: e, path: p, endpointsNamespace: ens}"),
  persistent("pv-azure", "azureFile: {secretName: s, shareName: t, secretNamespace: sns}"),
  persistent(
    "pv-scale",
    "scaleIO: {gateway: g, system: s, secretRef: {name: sn, namespace: sns}, volumeName: v}",
  ),
  persistent("pv-flex", "flexVolume: {driver: d/e, secretRef: {name: sn, namespace: sns}}"),
  persistent(
    "pv-rbd",
    "rbd: {monitors: ['1.2.3.4:5'], image: i, secretRef: {name: sn, namespace: sns}}",
  ),
].join("---\n");

const custom = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;

const thing = `apiVersion: example.com/v1
kind: Thing
metadata: {name: one, namespace: shop, labels: {a: b}, finalizers: [example.com/f]}
spec:
  podCIDRs: [10.9.0.0/16]
  externalIPs: [1.1.1.1]
  HTTPServer: x
  baseURL: u
  uid: 1
  number: 2.5
  big: 1000000000000
  yes: true
  none: null
  empty: {}
  nothing: []
  list: [{a: 1, b: [x, {c: d}]}, {a: 2}]
  nested: [[1, 2], [3]]
  with-dash: 1
  under_score: 2
  a1: digits
status: {apiVersion: z, lastGUID: g}
`;

export const suite: Suite = {
  name: "describe-kinds",
  files: {
    "autoscalers.yaml": autoscalers,
    "policies.yaml": policies,
    "requests.yaml": requests,
    "classes.yaml": classes,
    "volumes.yaml": volumes,
    "persistent.yaml": persistentVolumes,
    "custom.yaml": custom,
    "thing.yaml": thing,
    "thing-patch.yaml": "spec: {number: 3.25, big: 12345678901234567890}\n",
    "broken.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: x\n",
  },
  cases: [
    "kubectl create -f autoscalers.yaml",
    `kubectl patch hpa all -n shop --subresource=status --type=merge -p '${measured}'`,
    "kubectl create -f policies.yaml",
    "kubectl create -f requests.yaml",
    "kubectl create -f classes.yaml",
    "kubectl create -f volumes.yaml",
    "kubectl create -f persistent.yaml",
    "kubectl create -f custom.yaml",
    "kubectl wait --for=condition=Established crd/things.example.com --timeout=20s",
    "kubectl create -f thing.yaml",
    "kubectl describe hpa plain -n shop",
    "kubectl describe hpa auto -n shop",
    "kubectl describe hpa all -n shop",
    "kubectl describe hpa -n shop",
    "kubectl describe horizontalpodautoscalers.v1.autoscaling plain -n shop",
    "kubectl describe hpa missing -n shop",
    "kubectl describe hpa p -n shop",
    "kubectl describe hpa all -n shop --show-events=false",
    "kubectl describe netpol open closed -n shop",
    "kubectl describe networkpolicy out -n shop",
    "kubectl describe netpol/fine -n shop",
    "kubectl describe netpol nothing -n shop",
    "kubectl describe netpol -n shop -l a=b",
    "kubectl describe csr jane",
    "kubectl describe csr/bob",
    "kubectl describe csr nobody",
    "kubectl certificate approve bob",
    "kubectl describe csr bob",
    "kubectl certificate deny jane",
    "kubectl describe csr jane --show-events=false",
    "kubectl describe csr",
    "kubectl describe vac gold",
    "kubectl describe volumeattributesclass",
    "kubectl describe vac silver",
    "kubectl describe csinode node-9",
    "kubectl describe csinodes node-8 node-9",
    "kubectl describe csinode node-7",
    "kubectl describe sc zoned",
    "kubectl describe servicecidr more",
    "kubectl describe servicecidr less",
    "kubectl describe servicecidrs.v1.networking.k8s.io more",
    "kubectl describe ipaddress 10.77.0.9",
    "kubectl describe ip 10.77.0.8",
    "kubectl describe runtimeclass gvisor",
    "kubectl describe pdb most -n shop",
    "kubectl describe quota quota -n shop",
    "kubectl describe limits limits -n shop",
    "kubectl describe ns shop",
    "kubectl describe ingressclass with-parameters",
    "kubectl describe ingress bucket -n shop",
    "kubectl describe endpointslice empty -n shop",
    "kubectl describe resourceslice gpus",
    "kubectl describe node node-1",
    "kubectl describe node node-1 --as=nobody",
    "kubectl describe pv csi-volume",
    "kubectl describe pv pv-nfs pv-local pv-iscsi",
    "kubectl describe pv pv-gluster pv-azure pv-scale pv-flex pv-rbd",
    "kubectl describe pv pv-",
    "kubectl describe pvc copy -n shop",
    "kubectl describe pod volumes -n shop",
    "kubectl describe thing one -n shop",
    "kubectl patch thing one -n shop --type=merge --patch-file=thing-patch.yaml",
    "kubectl describe things -n shop",
    "kubectl describe things.example.com/two -n shop",
    "kubectl describe thing/one thing/two -n shop",
    "kubectl describe thing one -n nowhere",
    "kubectl describe crd things.example.com",
    "kubectl describe crd things.example",
    "kubectl describe -f thing.yaml",
    "kubectl describe -f policies.yaml",
    "kubectl describe -f broken.yaml",
    "kubectl describe hpa,netpol -n shop",
    "kubectl describe hpa/auto netpol/out -n shop",
    "kubectl describe hpa auto -n shop --chunk-size=-1",
    "kubectl describe hpa auto extra -n shop -l a=b",
    "kubectl describe hpa --field-selector=a=b",
    "kubectl describe csr jane -o yaml",
    "kubectl describe validatingadmissionpolicy",
    "kubectl describe flowschema catch-all",
    "kubectl describe apiservice v1.apps",
  ],
};
