import type { TreeCase } from "../tree-case.ts";

const user = `## pod.yaml
apiVersion: v1
kind: Pod
metadata: {name: reader}
spec:
  containers:
  - name: main
    image: reader:1
    envFrom:
    - configMapRef: {name: settings}
    - secretRef: {name: login}
`;

/** ConfigMaps and Secrets that are generated from files and literals. */
export const cases: readonly TreeCase[] = [
  {
    name: "literals and references to them",
    tree: `${user}## kustomization.yaml
resources: [pod.yaml]
configMapGenerator:
- name: settings
  literals: [color=blue, "size='8'", 'quoted="yes"', empty=]
secretGenerator:
- name: login
  type: kubernetes.io/basic-auth
  literals: [username=a, password=b=c]
`,
  },
  {
    name: "files, named and renamed",
    tree: `## app.properties
a=1
b=2
## deep/note.txt
one line
## kustomization.yaml
configMapGenerator:
- name: files
  files: [app.properties, other=deep/note.txt]
`,
  },
  {
    name: "files of variables",
    tree: `## one.env
# comment
A=1
  B=two words
C
D==x
## two.env
E=5
## kustomization.yaml
configMapGenerator:
- name: vars
  env: one.env
  envs: [two.env]
`,
  },
  {
    name: "binary data and its hash",
    tree: `## blob.bin
base64:/9j/4AAQSkZJRgABAQ==
## kustomization.yaml
configMapGenerator:
- name: bytes
  literals: [text=plain]
  files: [blob.bin]
`,
  },
  {
    name: "long secrets are wrapped",
    tree: `## long.txt
0123456789012345678901234567890123456789012345678901234567890123456789
0123456789012345678901234567890123456789
## kustomization.yaml
secretGenerator:
- name: long
  files: [long.txt]
  literals: [short=x]
`,
  },
  {
    name: "options of all and of one",
    tree: `## kustomization.yaml
generatorOptions:
  labels: {team: blue, shared: yes-please}
  annotations: {note: all}
  immutable: true
configMapGenerator:
- name: one
  literals: [a=b]
  options:
    labels: {shared: own}
    disableNameSuffixHash: true
- name: two
  namespace: other
  literals: [a=b]
`,
  },
  {
    name: "no hashes at all",
    tree: `## kustomization.yaml
generatorOptions: {disableNameSuffixHash: true}
configMapGenerator:
- {name: one, literals: [a=b]}
secretGenerator:
- {name: two, literals: [a=b]}
`,
  },
  {
    name: "an overlay merges and replaces",
    tree: `## base/kustomization.yaml
namePrefix: b-
configMapGenerator:
- {name: merged, literals: [a=1, b=2], options: {labels: {from: base}}}
- {name: replaced, literals: [a=1, b=2]}
secretGenerator:
- {name: merged, literals: [a=1]}
## kustomization.yaml
resources: [base]
configMapGenerator:
- {name: merged, behavior: merge, literals: [b=3, c=4], options: {annotations: {from: overlay}}}
- {name: replaced, behavior: replace, literals: [z=26]}
secretGenerator:
- {name: merged, behavior: merge, literals: [b=2]}
`,
  },
  {
    name: "an overlay drops the hash",
    tree: `## base/kustomization.yaml
configMapGenerator:
- {name: settings, literals: [a=1]}
## kustomization.yaml
resources: [base]
configMapGenerator:
- {name: settings, behavior: merge, literals: [b=2], options: {disableNameSuffixHash: true}}
`,
  },
  {
    name: "binary data is merged",
    tree: `## base/blob.bin
base64:/9j/4AAQSkZJRgABAQ==
## base/kustomization.yaml
configMapGenerator:
- {name: bytes, files: [blob.bin]}
## more.bin
base64:/v/+/w==
## kustomization.yaml
resources: [base]
configMapGenerator:
- {name: bytes, behavior: merge, files: [more.bin], literals: [a=b]}
`,
  },
  {
    name: "merge of nothing",
    tree: `## kustomization.yaml
configMapGenerator:
- {name: absent, behavior: merge, literals: [a=b]}
`,
  },
  {
    name: "twice the same name",
    tree: `## kustomization.yaml
configMapGenerator:
- {name: same, literals: [a=b]}
- {name: same, literals: [c=d]}
`,
  },
  {
    name: "twice the same key",
    tree: `## kustomization.yaml
configMapGenerator:
- {name: twice, literals: [a=b, a=c]}
`,
  },
  {
    name: "no name",
    tree: `## kustomization.yaml
configMapGenerator:
- {literals: [a=b]}
`,
  },
  {
    name: "wrong sources",
    tree: `## kustomization.yaml
configMapGenerator:
- {name: wrong, files: ["=x"]}
`,
  },
  {
    name: "a file that is not there",
    tree: `## kustomization.yaml
secretGenerator:
- {name: wrong, files: [deep/absent.txt]}
`,
  },
  {
    name: "named in generators, inline and in a file",
    tree: `## gen.yaml
apiVersion: builtin
kind: ConfigMapGenerator
metadata: {name: from-file, namespace: here}
literals: [a=b]
## kustomization.yaml
generators:
- gen.yaml
- |
  apiVersion: builtin
  kind: SecretGenerator
  metadata: {name: inline}
  literals: [a=b]
  options: {disableNameSuffixHash: true}
- |
  apiVersion: builtin
  kind: IAMPolicyGenerator
  metadata: {name: iam}
  cloud: gke
  kubernetesService: {name: robot, namespace: cloud}
  serviceAccount: {name: robot, projectId: p-1}
`,
  },
  {
    name: "a cloud that is not known",
    tree: `## kustomization.yaml
generators:
- "{apiVersion: builtin, kind: IAMPolicyGenerator, metadata: {name: iam}, cloud: aws}"
`,
  },
  {
    name: "a transformer among generators",
    tree: `## kustomization.yaml
generators:
- "{apiVersion: builtin, kind: LabelTransformer, metadata: {name: x}, labels: {a: b}}"
`,
  },
  {
    name: "helm is not enabled",
    tree: `## kustomization.yaml
namespace: shop
helmCharts:
- {name: chart, repo: "https://charts.example", version: 1.0.0}
`,
  },
];
