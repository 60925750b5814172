import type { TreeCase } from "../tree-case.ts";

const objects = `## all.yaml
apiVersion: v1
kind: Service
metadata: {name: db, labels: {tier: back}}
spec: {ports: [{port: 5432, name: sql}], publishNotReadyAddresses: true}
---
apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations: {uses: $(DB), both: "$(DB):$(PORT)", none: "$$(DB) $(ABSENT) $5"}
spec:
  containers:
  - name: main
    image: web
    command: [run, $(DB), --port=$(PORT), $(PORT)]
    env: [{name: READY, value: $(READY)}]
`;

const names = `vars:
- name: DB
  objref: {kind: Service, name: db, apiVersion: v1}
- name: PORT
  objref: {kind: Service, name: db, version: v1}
  fieldref: {fieldPath: "spec.ports[0].port"}
- name: READY
  objref: {kind: Service, name: db, apiVersion: v1}
  fieldref: {fieldPath: spec.publishNotReadyAddresses}
`;

/** Vars, which refer to values of fields. */
export const cases: readonly TreeCase[] = [
  {
    name: "values, with the names that objects get",
    tree: `${objects}## kustomization.yaml
resources: [all.yaml]
namePrefix: a-
${names}`,
  },
  {
    name: "vars of a base, and one that is not used",
    tree: `${objects.replace("## all", "## base/all")}## base/kustomization.yaml
resources: [all.yaml]
${names}## kustomization.yaml
resources: [base]
nameSuffix: -z
vars:
- name: UNUSED
  objref: {kind: Pod, name: web, apiVersion: v1}
`,
  },
  {
    name: "the same var twice",
    tree: `${objects.replace("## all", "## base/all")}## base/kustomization.yaml
resources: [all.yaml]
${names}## kustomization.yaml
resources: [base]
vars:
- {name: DB, objref: {kind: Pod, name: web, apiVersion: v1}}
`,
  },
  {
    name: "an object that is not there",
    tree: `${objects}## kustomization.yaml
resources: [all.yaml]
vars: [{name: X, objref: {kind: Secret, name: absent, apiVersion: v1}}]
`,
  },
  {
    name: "a field that is not there",
    tree: `${objects}## kustomization.yaml
resources: [all.yaml]
vars: [{name: X, objref: {kind: Pod, name: web, apiVersion: v1}, fieldref: {fieldPath: spec.absent}}]
`,
  },
  {
    name: "two objects that fit",
    tree: `## two.yaml
apiVersion: v1
kind: Service
metadata: {name: db, namespace: a}
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: b}
## kustomization.yaml
resources: [two.yaml]
vars: [{name: X, objref: {kind: Service, name: db, apiVersion: v1}}]
`,
  },
  {
    name: "one of two, by its namespace, at a configured place",
    tree: `## two.yaml
apiVersion: v1
kind: Service
metadata: {name: db, namespace: a}
spec: {externalName: $(X)}
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: b, annotations: {v: "5"}}
## places.yaml
varReference: [{path: spec/externalName, kind: Service}]
## kustomization.yaml
resources: [two.yaml]
configurations: [places.yaml]
vars:
- name: X
  objref: {kind: Service, name: db, namespace: b, apiVersion: v1}
  fieldref: {fieldPath: metadata.annotations.v}
`,
  },
];
