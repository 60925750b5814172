import type { TreeCase } from "../tree-case.ts";

const web = `## web.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: "registry.example:5000/web:1.0", args: [--x]}
      initContainers:
      - {name: init, image: busybox@sha256:0123}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 80}]
`;

const rbac = `## rbac.yaml
apiVersion: v1
kind: Namespace
metadata: {name: old}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: bind}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects:
- {kind: ServiceAccount, name: default}
- {kind: ServiceAccount, name: robot, namespace: elsewhere}
`;

const inline = (text: string): string => `## kustomization.yaml
resources: [web.yaml]
transformers:
- |
${text.replaceAll(/^/gm, "  ")}
`;

/** Transformers: fields of a kustomization.yaml, and plugins by name. */
export const cases: readonly TreeCase[] = [
  {
    name: "every simple field",
    tree: `${web}## kustomization.yaml
resources: [web.yaml]
namePrefix: a-
nameSuffix: -z
namespace: shop
commonLabels: {team: blue}
commonAnnotations: {note: "1", flag: "true"}
images:
- {name: "registry.example:5000/web", newName: other/web, newTag: "2"}
- {name: busybox, digest: "sha256:4567"}
replicas:
- {name: web, count: 3}
`,
  },
  {
    name: "names of fields in another case",
    tree: `${web}## kustomization.yaml
Resources: [web.yaml]
nameprefix: a-
CONFIGMAPGENERATOR:
- {Name: x, Literals: [a=b]}
`,
  },
  {
    name: "namespaces and the subjects of bindings",
    tree: `${rbac}## kustomization.yaml
resources: [rbac.yaml]
namespace: new
`,
  },
  ...["allServiceAccounts", "none", "wrong"].map((mode) => ({
    name: `NamespaceTransformer with subjects: ${mode}`,
    tree: `${rbac}## kustomization.yaml
resources: [rbac.yaml]
transformers:
- |
  apiVersion: builtin
  kind: NamespaceTransformer
  metadata: {name: ns, namespace: new}
  setRoleBindingSubjects: ${mode}
  unsetOnly: true
`,
  })),
  {
    name: "namespaces that make two objects one",
    tree: `## two.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: same, namespace: a}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: same, namespace: b}
## kustomization.yaml
resources: [two.yaml]
namespace: c
`,
  },
  {
    name: "namespaces that make two objects one, which cannot be printed",
    tree: `## two.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: same, namespace: a}
data: {1: x}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: same, namespace: b}
## kustomization.yaml
resources: [two.yaml]
namespace: c
`,
  },
  {
    name: "labels with and without selectors and templates",
    tree: `${web}## kustomization.yaml
resources: [web.yaml]
labels:
- pairs: {only: metadata}
- pairs: {with: templates}
  includeTemplates: true
- pairs: {with: selectors}
  includeSelectors: true
- pairs: {at: field}
  fields: [{path: spec/extra/labels, create: true, kind: Service}]
`,
  },
  {
    name: "labels that are not texts",
    tree: `${web}## kustomization.yaml
resources: [web.yaml]
commonLabels: {number: 1}
`,
  },
  {
    name: "replicas of what is not there",
    tree: `${web}## kustomization.yaml
resources: [web.yaml]
replicas: [{name: absent, count: 2}]
`,
  },
  {
    name: "image by pattern, suffix, name with a port",
    tree: `${web}## kustomization.yaml
resources: [web.yaml]
images:
- {name: "registry.example:5000/.*", tagSuffix: -fix}
- {name: "busybox", newName: "tiny:5000/box"}
`,
  },
  {
    name: "PrefixTransformer and SuffixTransformer",
    tree: `${web}${inline(`apiVersion: builtin
kind: PrefixTransformer
metadata: {name: p}
prefix: in-
fieldSpecs:
- {path: metadata/name, kind: Service}
- {path: spec/template/spec/containers/name}
---
apiVersion: builtin
kind: SuffixTransformer
metadata: {name: s}
suffix: -out
fieldSpecs: [{path: metadata/name}]`)}`,
  },
  {
    name: "PrefixTransformer without field specifications",
    tree: `${web}${inline("{apiVersion: builtin, kind: PrefixTransformer, metadata: {name: p}, prefix: a}")}`,
  },
  {
    name: "PrefixSuffixTransformer",
    tree: `${web}${inline(`apiVersion: builtin
kind: PrefixSuffixTransformer
metadata: {name: ps}
prefix: a-
suffix: -b
fieldSpecs: [{path: metadata/name}]`)}`,
  },
  {
    name: "LabelTransformer, AnnotationsTransformer and numbers for texts",
    tree: `${web}${inline(`apiVersion: builtin
kind: LabelTransformer
metadata: {name: l}
labels: {number: 1, flag: true}
fieldSpecs: [{path: metadata/labels, create: true}]
---
apiVersion: builtin
kind: AnnotationsTransformer
metadata: {name: a}
annotations: {a: b}
fieldSpecs: [{path: metadata/annotations, create: true}, {path: spec/absent}]`)}`,
  },
  {
    name: "ReplicaCountTransformer and ImageTagTransformer",
    tree: `${web}${inline(`apiVersion: builtin
kind: ReplicaCountTransformer
metadata: {name: r}
replica: {name: web, count: 7}
fieldSpecs: [{path: spec/replicas, kind: Deployment}]
---
apiVersion: builtin
kind: ImageTagTransformer
metadata: {name: i}
imageTag: {name: busybox, newTag: "9"}
fieldSpecs: [{path: spec/template/spec/initContainers[]/image}]`)}`,
  },
  {
    name: "ValueAddTransformer",
    tree: `${web}${inline(`apiVersion: builtin
kind: ValueAddTransformer
metadata: {name: v}
value: stage
targets:
- {fieldPath: metadata/namespace}
- {fieldPath: metadata/labels/level, selector: {kind: Deployment}}
- {fieldPath: spec/path, filePathPosition: 2, selector: {kind: Service}}`)}`,
  },
  {
    name: "ValueAddTransformer without targets",
    tree: `${web}${inline("{apiVersion: builtin, kind: ValueAddTransformer, metadata: {name: v}}")}`,
  },
  {
    name: "HashTransformer and a builtin that is not known",
    tree: `${web}${inline(`apiVersion: builtin
kind: HashTransformer
metadata: {name: h}
---
apiVersion: builtin
kind: Nonsense
metadata: {name: n}`)}`,
  },
  {
    name: "an external plugin",
    tree: `${web}${inline("{apiVersion: team.example/v1, kind: Stamp, metadata: {name: s}}")}`,
  },
  {
    name: "a generator among transformers",
    tree: `${web}${inline("{apiVersion: builtin, kind: ConfigMapGenerator, metadata: {name: s}}")}`,
  },
  {
    name: "transformers in a folder and in a file",
    tree: `${web}## plugins/kustomization.yaml
resources: [one.yaml]
## plugins/one.yaml
apiVersion: builtin
kind: LabelTransformer
metadata: {name: l}
labels: {from: folder}
fieldSpecs: [{path: metadata/labels, create: true}]
## two.yaml
apiVersion: builtin
kind: AnnotationsTransformer
metadata: {name: a}
annotations: {from: file}
fieldSpecs: [{path: metadata/annotations, create: true}]
## kustomization.yaml
resources: [web.yaml]
transformers: [plugins, two.yaml]
`,
  },
  {
    name: "validators that change nothing",
    tree: `${web}## kustomization.yaml
resources: [web.yaml]
validators:
- |
  apiVersion: builtin
  kind: LabelTransformer
  metadata: {name: l}
  labels: {a: b}
  fieldSpecs: [{path: spec/absent/labels}]
`,
  },
  {
    name: "an external validator",
    tree: `${web}## kustomization.yaml
resources: [web.yaml]
validators:
- "{apiVersion: team.example/v1, kind: Check, metadata: {name: s}}"
`,
  },
];
