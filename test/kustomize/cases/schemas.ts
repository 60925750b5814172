import type { TreeCase } from "../tree-case.ts";

const schema = `## schema.json
{"definitions": {
 "v1.Gadget": {"properties": {"spec": {"$ref": "#/definitions/v1.GadgetSpec"}},
   "x-kubernetes-group-version-kind": [{"group": "team.example", "version": "v1", "kind": "Gadget"}]},
 "v1.GadgetSpec": {"properties": {
   "parts": {"type": "array", "items": {"$ref": "#/definitions/v1.Part"},
     "x-kubernetes-patch-merge-key": "id", "x-kubernetes-patch-strategy": "merge"},
   "pairs": {"type": "array", "items": {"$ref": "#/definitions/v1.Part"},
     "x-kubernetes-list-map-keys": ["id", "side"], "x-kubernetes-patch-strategy": "merge"},
   "words": {"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": "merge"}}},
 "v1.Part": {"properties": {"id": {"type": "string"}}}}}
`;

const objects = `## all.yaml
apiVersion: team.example/v1
kind: Gadget
metadata: {name: g}
spec:
  parts: [{id: a, size: 1}, {id: b, size: 2}]
  pairs: [{id: a, side: l, x: 1}, {id: a, side: r, x: 2}]
  words: [one, two]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec: {template: {spec: {containers: [{name: a, image: a}]}}}
## p.yaml
apiVersion: team.example/v1
kind: Gadget
metadata: {name: g}
spec:
  parts: [{id: b, color: red}, {id: c}]
  pairs: [{id: a, side: r, y: 3}, {id: z}]
  words: [three, one]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec: {template: {spec: {containers: [{name: b, image: b}]}}}
`;

/** Schemas of a kustomization. */
export const cases: readonly TreeCase[] = [
  {
    name: "lists of a custom kind, and built-in ones no more",
    tree: `${schema}${objects}## kustomization.yaml
resources: [all.yaml]
patches: [{path: p.yaml}]
openapi: {path: schema.json}
`,
  },
  {
    name: "named in a component, after objects were read",
    tree: `${schema.replace("## ", "## part/")}${objects.replace("## p.yaml", "## part/p.yaml")}## part/kustomization.yaml
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches: [{path: p.yaml}]
openapi: {path: schema.json}
## kustomization.yaml
resources: [all.yaml]
components: [part]
`,
  },
  {
    name: "a path and a version",
    tree: `${schema}${objects}## kustomization.yaml
resources: [all.yaml]
openapi: {path: schema.json, version: v1.21.2}
`,
  },
  {
    name: "a file that is not there",
    tree: `${objects}## kustomization.yaml
resources: [all.yaml]
openapi: {path: absent.json}
`,
  },
];
