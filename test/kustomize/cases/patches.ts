import type { TreeCase } from "../tree-case.ts";

const web = `## web.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
  annotations: {keep: "yes"}
  finalizers: [first]
spec:
  template:
    spec:
      containers:
      - name: main
        image: web:1
        ports:
        - {containerPort: 80}
        - {containerPort: 53, protocol: UDP, name: dns}
        env:
        - {name: A, value: "1"}
        - {name: B, value: "2"}
        args: [--one, --two]
        volumeMounts:
        - {mountPath: /data, name: data}
      - name: side
        image: side:1
      volumes:
      - name: data
        emptyDir: {}
      imagePullSecrets: [{name: pull}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  ports:
  - {port: 80, name: http}
  - {port: 53, protocol: UDP}
---
apiVersion: team.example/v1
kind: Gadget
metadata: {name: web}
spec:
  list: [{name: a, size: 1}, {name: b}]
  empty:
  nothing: null
`;

const patched = (patch: string): string => `${web}## kustomization.yaml
resources: [web.yaml]
patches:
- patch: |
${patch.replaceAll(/^/gm, "    ")}
`;

const head = (kind = "Deployment"): string =>
  `apiVersion: ${{ Deployment: "apps/v1", Service: "v1", Gadget: "team.example/v1" }[kind]}\nkind: ${kind}\nmetadata:\n  name: web\n`;

const container = (text: string): string =>
  `${head()}spec:\n  template:\n    spec:\n      containers:\n${text.replaceAll(/^/gm, "      ")}`;

const merges: Readonly<Record<string, string>> = {
  "new items come first": container(
    "- name: new\n  image: new:1\n- name: main\n  env:\n  - {name: C, value: '3'}\n  - {name: A, value: '9'}",
  ),
  "items are deleted": container(
    "- name: side\n  $patch: delete\n- name: main\n  env:\n  - {name: A, $patch: delete}",
  ),
  "a list is replaced": container(
    "- name: main\n  env:\n  - $patch: replace\n  - {name: Z, value: z}",
  ),
  "a list is deleted": container("- name: main\n  env:\n  - $patch: delete"),
  "an item is replaced": container("- name: main\n  $patch: replace\n  image: bare"),
  "ports by number and protocol": container(
    "- name: main\n  ports:\n  - {containerPort: 80, name: web}\n  - {containerPort: 53, protocol: TCP}\n  - {containerPort: 53, protocol: UDP, hostPort: 53}",
  ),
  "lists without keys are replaced": container("- name: main\n  args: [--three]"),
  "nulls remove": `${head()}  annotations: null\n  labels: {app: null}\nspec:\n  template:\n    spec:\n      volumes: null\n`,
  "texts of a list are joined": `${head()}  finalizers: [second, first]\n`,
  "a mapping is replaced": `${head()}spec:\n  template:\n    $patch: replace\n    metadata: {labels: {new: "1"}}\n`,
  "the object is deleted": `${head()}$patch: delete\n`,
  "a strategy that is not known": `${head()}spec: {$patch: blend}\n`,
  "a list where a mapping is": `${head()}spec: {template: [1]}\n`,
  "ports of a Service": `${head("Service")}spec:\n  ports:\n  - {port: 80, targetPort: 8080}\n  - {port: 443}\n`,
  "lists of kinds that are not built in": `${head("Gadget")}spec:\n  list: [{name: b, size: 2}]\n  more: {x: null, y: 1}\n`,
  "values keep their quotes": `${head()}  annotations: {happy: "true", number: "1", date: "2020-01-01", version: "1.10"}\n`,
};

/** Strategic merge patches, and JSON patches. */
export const cases: readonly TreeCase[] = [
  ...Object.entries(merges).map(([name, patch]) => ({ name, tree: patched(patch.trimEnd()) })),
  {
    name: "JSON patches, in JSON and in YAML",
    tree: `${web}## ops.json
[{"op": "add", "path": "/metadata/annotations/a~1b", "value": "1"},
 {"op": "remove", "path": "/metadata/labels"}]
## kustomization.yaml
resources: [web.yaml]
patches:
- {path: ops.json, target: {kind: Deployment}}
- target: {kind: Service, name: "w.*"}
  patch: |
    - {op: replace, path: /spec/ports/0/port, value: 81}
    - {op: add, path: /spec/ports/-, value: {port: 9, protocol: TCP}}
    - {op: test, path: /metadata/name, value: web}
`,
  },
  {
    name: "a JSON patch that fails",
    tree: `${web}## kustomization.yaml
resources: [web.yaml]
patches:
- target: {kind: Service}
  patch: '[{"op": "remove", "path": "/spec/absent"}]'
`,
  },
  {
    name: "a JSON patch without a target",
    tree: `${web}## kustomization.yaml
resources: [web.yaml]
patches: [{patch: '[{"op": "remove", "path": "/spec"}]'}]
`,
  },
  {
    name: "targets by patterns, labels and annotations",
    tree: `${web}## p.yaml
apiVersion: any/v1
kind: Any
metadata: {name: any, annotations: {hit: "1"}}
## kustomization.yaml
resources: [web.yaml]
patches:
- {path: p.yaml, target: {labelSelector: "app in (web)", annotationSelector: keep=yes}}
- {path: p.yaml, target: {kind: "Serv.*|Nothing", name: web}}
- {path: p.yaml, target: {namespace: default, group: team.example}}
`,
  },
  {
    name: "a pattern that is none",
    tree: `${web}## kustomization.yaml
resources: [web.yaml]
patches: [{patch: '[{"op": "remove", "path": "/spec"}]', target: {labelSelector: "a in b"}}]
`,
  },
  {
    name: "name and kind may change",
    tree: `${web}## kustomization.yaml
resources: [web.yaml]
patches:
- patch: "{apiVersion: v1, kind: Endpoint, metadata: {name: door}}"
  target: {kind: Service}
  options: {allowNameChange: true, allowKindChange: true}
- patch: "{apiVersion: apps/v1, kind: Ignored, metadata: {name: ignored, labels: {x: y}}}"
  target: {kind: Deployment}
`,
  },
  {
    name: "several patches with one target",
    tree: `${web}## kustomization.yaml
resources: [web.yaml]
patches:
- target: {kind: Service}
  patch: |
    {apiVersion: v1, kind: Service, metadata: {name: web}}
    ---
    {apiVersion: v1, kind: Service, metadata: {name: web}}
`,
  },
  {
    name: "several patches in one file",
    tree: `${web}## p.yaml
apiVersion: v1
kind: Service
metadata: {name: web, labels: {one: "1"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {two: "2"}}
## kustomization.yaml
resources: [web.yaml]
patches: [{path: p.yaml}]
`,
  },
  ...Object.entries({
    "a patch for nothing": "- patch: '{apiVersion: v1, kind: Service, metadata: {name: absent}}'",
    "neither patch nor path": "- target: {kind: Service}",
    "both patch and path": "- {patch: x, path: y}",
    "a patch that is none": "- patch: 'just text'",
    "a patch file that is not there": "- path: absent.yaml",
    "a patch file outside": "- path: ../outside.yaml",
  }).map(([name, entry]) => ({
    name,
    tree: `${web.replace("## web", "## in/web")}## outside.yaml
apiVersion: v1
kind: Service
metadata: {name: web}
## in/kustomization.yaml
resources: [web.yaml]
patches:
${entry}
`,
    args: ["in"],
  })),
  {
    name: "a label that commonLabels has set",
    tree: `${web.replace("## web", "## base/web")}## base/kustomization.yaml
resources: [web.yaml]
commonLabels: {team: blue}
## kustomization.yaml
resources: [base]
patches:
- patch: "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, labels: {team: red}}}"
- target: {kind: Service}
  patch: "{apiVersion: v1, kind: Service, metadata: {name: web, labels: {team: null}}}"
`,
  },
  {
    name: "patches in the old fields",
    tree: `${web}## p.yaml
apiVersion: v1
kind: Service
metadata: {name: web, labels: {from: file}}
## kustomization.yaml
resources: [web.yaml]
patchesStrategicMerge:
- p.yaml
- "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, labels: {from: inline}}}"
patchesJson6902:
- target: {version: v1, kind: Service, name: web}
  patch: '[{"op": "add", "path": "/spec/type", "value": "NodePort"}]'
`,
  },
  {
    name: "patchesJson6902 without a name",
    tree: `${web}## kustomization.yaml
resources: [web.yaml]
patchesJson6902:
- {target: {kind: Service}, patch: '[]'}
`,
  },
  {
    name: "the plugins of patches",
    tree: `${web}## kustomization.yaml
resources: [web.yaml]
transformers:
- |
  apiVersion: builtin
  kind: PatchTransformer
  metadata: {name: one}
  patch: '[{"op": "add", "path": "/spec/a", "value": 1}]'
  target: {kind: Service}
- |
  apiVersion: builtin
  kind: PatchJson6902Transformer
  metadata: {name: two}
  target: {kind: Service, name: web}
  jsonOp: '[{"op": "add", "path": "/spec/b", "value": 2}]'
- |
  apiVersion: builtin
  kind: PatchStrategicMergeTransformer
  metadata: {name: three}
  patches: '{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {c: 3}}'
`,
  },
];
