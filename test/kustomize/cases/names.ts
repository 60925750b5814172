import type { TreeCase } from "../tree-case.ts";

const claims = `## all.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: cfg}
---
apiVersion: v1
kind: Secret
metadata: {name: key}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk}
spec: {storageClassName: fast}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: job}
spec:
  jobTemplate:
    spec:
      template:
        spec:
          serviceAccountName: robot
          imagePullSecrets: [{name: key}]
          volumes:
          - {name: a, configMap: {name: cfg}}
          - {name: b, projected: {sources: [{secret: {name: key}}, {configMap: {name: cfg}}]}}
          - {name: c, persistentVolumeClaim: {claimName: disk}}
          containers:
          - name: main
            env:
            - {name: A, valueFrom: {configMapKeyRef: {name: cfg, key: a}}}
            - {name: B, valueFrom: {secretKeyRef: {name: other, key: a}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [secrets], resourceNames: [key, other], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: bind}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: robot, namespace: default}]
`;

const team = (name: string): string => `## ${name}/all.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: cfg}
---
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec: {volumes: [{name: v, configMap: {name: cfg}}], containers: []}
## ${name}/kustomization.yaml
resources: [all.yaml]
namePrefix: ${name}-
`;

/** Names, and the fields of other objects that refer to them. */
export const cases: readonly TreeCase[] = [
  {
    name: "references of built-in kinds",
    tree: `${claims}## kustomization.yaml
resources: [all.yaml]
namePrefix: a-
nameSuffix: -b
namespace: shop
`,
  },
  {
    name: "layers with the same names",
    tree: `${team("one")}${team("two")}## kustomization.yaml
resources: [one, two]
nameSuffix: -x
`,
  },
  {
    name: "a name that fits two objects",
    tree: `${team("one")}${team("two")}## pod.yaml
apiVersion: v1
kind: Pod
metadata: {name: both}
spec: {volumes: [{name: v, configMap: {name: cfg}}], containers: []}
## kustomization.yaml
resources: [one, two, pod.yaml]
`,
  },
  {
    name: "references in configured fields",
    tree: `## all.yaml
apiVersion: v1
kind: Secret
metadata: {name: key}
---
apiVersion: team.example/v1
kind: Gadget
metadata: {name: g}
spec: {one: key, list: [key, other], ref: {name: key}, title: g}
## refs.yaml
nameReference:
- kind: Secret
  fieldSpecs:
  - {path: spec/one, kind: Gadget}
  - {path: spec/list, kind: Gadget}
  - {path: spec/ref, kind: Gadget}
namePrefix:
- {path: spec/title, kind: Gadget}
commonLabels:
- {path: spec/labels, create: true, kind: Gadget}
## kustomization.yaml
resources: [all.yaml]
namePrefix: p-
commonLabels: {a: b}
configurations: [refs.yaml]
`,
  },
  {
    name: "a reference without a name",
    tree: `## all.yaml
apiVersion: team.example/v1
kind: Gadget
metadata: {name: g}
spec: {ref: {kind: x}}
## refs.yaml
nameReference: [{kind: Secret, fieldSpecs: [{path: spec/ref, kind: Gadget}]}]
## kustomization.yaml
resources: [all.yaml]
namePrefix: p-
configurations: [refs.yaml]
`,
  },
  {
    name: "configurations that contradict each other",
    tree: `## all.yaml
{apiVersion: v1, kind: Secret, metadata: {name: key}}
## other.yaml
commonLabels: [{path: metadata/labels}]
## kustomization.yaml
resources: [all.yaml]
configurations: [other.yaml]
`,
  },
  {
    name: "a configuration that is none",
    tree: `## all.yaml
{apiVersion: v1, kind: Secret, metadata: {name: key}}
## wrong.yaml
nonsense: [{path: a}]
## kustomization.yaml
resources: [all.yaml]
configurations: [wrong.yaml]
`,
  },
  {
    name: "crds",
    tree: `## crd.json
{"example.com/v1.Gadget": {"Schema": {"properties": {
  "kind": {}, "apiVersion": {}, "metadata": {}, "spec": {"$ref": "example.com/v1.GadgetSpec"}}}},
 "example.com/v1.GadgetSpec": {"Schema": {"properties": {
  "secret": {"x-kubernetes-object-ref-api-version": "v1", "x-kubernetes-object-ref-kind": "Secret"},
  "other": {"x-kubernetes-object-ref-api-version": "v1", "x-kubernetes-object-ref-kind": "Secret",
            "x-kubernetes-object-ref-name-key": "called"},
  "match": {"x-kubernetes-label-selector": ""}, "notes": {"x-kubernetes-annotation": ""},
  "title": {"x-kubernetes-identity": ""}}}}}
## all.yaml
apiVersion: v1
kind: Secret
metadata: {name: key}
---
apiVersion: team.example/v1
kind: Gadget
metadata: {name: g}
spec: {secret: {name: key}, other: {called: key}, match: {}, notes: {x: y}, title: t}
## kustomization.yaml
resources: [all.yaml]
namePrefix: p-
commonLabels: {l: "1"}
commonAnnotations: {a: "2"}
crds: [crd.json]
`,
  },
  {
    name: "crds that are not there",
    tree: `## kustomization.yaml
namePrefix: a
crds: [absent.json]
`,
  },
  {
    name: "names that stay",
    tree: `## all.yaml
{apiVersion: v1, kind: Namespace, metadata: {name: n}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: c}}
---
{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: a}, spec: {service: {name: s}}}
---
{apiVersion: v1, kind: Service, metadata: {name: s}}
## kustomization.yaml
resources: [all.yaml]
namePrefix: p-
namespace: new
`,
  },
];
