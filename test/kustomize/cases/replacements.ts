import type { TreeCase } from "../tree-case.ts";

const objects = `## all.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: source, annotations: {pick: me}}
data:
  host: db.example
  port: "5432"
  config.yaml: |
    server:
      host: old
      list: [1, 2]
  config.json: '{"server":{"host":"old"}}'
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  template:
    spec:
      containers:
      - {name: main, image: "web:1", env: [{name: HOST, value: x}, {name: PORT, value: y}]}
      - {name: side, image: "side:1", env: [{name: HOST, value: x}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 1}]}
`;

const replacing = (text: string): string => `${objects}## kustomization.yaml
resources: [all.yaml]
replacements:
${text}
`;

const from = (path: string, targets: string, more = ""): string =>
  `- source: {kind: ConfigMap, name: source, fieldPath: ${path}${more}}
  targets:
${targets.replaceAll(/^/gm, "  ")}`;

const texts: Readonly<Record<string, string>> = {
  "to every item that matches": from(
    "data.host",
    "- select: {kind: Deployment}\n  fieldPaths: ['spec.template.spec.containers.*.env.[name=HOST].value']",
  ),
  "to an index, a name in brackets and a part": from(
    "data.port",
    "- select: {kind: Service}\n  fieldPaths: [spec.ports.0.port]\n- select: {name: web, kind: Deployment}\n  fieldPaths: ['metadata.annotations.[a.b/c]', metadata.labels.made]\n  options: {create: true}\n- select: {kind: Deployment}\n  fieldPaths: ['spec.template.spec.containers.[name=main].image']\n  options: {delimiter: ':', index: 1}",
  ),
  "part of a value, before and after": from(
    "data.host",
    "- select: {kind: Deployment}\n  fieldPaths: ['spec.template.spec.containers.[name=side].image']\n  options: {delimiter: ':', index: -1}\n- select: {kind: Service}\n  fieldPaths: [metadata.name]\n  options: {delimiter: '-', index: 9}",
    ", options: {delimiter: '.', index: 0}",
  ),
  "a whole mapping": `- source: {kind: Service, name: web, fieldPath: spec.selector}
  targets: [{select: {kind: Deployment}, fieldPaths: [spec.selector], options: {create: true}}]`,
  "a constant":
    "- sourceValue: fixed\n  targets: [{select: {kind: Service}, fieldPaths: [metadata.name]}]",
  "into documents in texts": from(
    "data.host",
    "- select: {kind: ConfigMap}\n  fieldPaths: [data.config\\.yaml.server.host, data.config\\.json.server.host]",
  ),
  "rejected targets": from(
    "data.host",
    "- select: {name: web}\n  reject: [{kind: Service}]\n  fieldPaths: [metadata.annotations.host]\n  options: {create: true}",
  ),
  "no source": "- targets: [{select: {kind: Service}}]",
  "two sources":
    "- sourceValue: a\n  source: {kind: ConfigMap}\n  targets: [{select: {kind: Service}}]",
  "a source that is not there": from("data.absent", "- select: {kind: Service}"),
  "an object that is not there":
    "- source: {kind: Nothing}\n  targets: [{select: {kind: Service}}]",
  "several objects": "- source: {name: web}\n  targets: [{select: {kind: Service}}]",
  "no selection": from("data.host", "- fieldPaths: [a]"),
  "a target that is not there": from(
    "data.host",
    "- select: {kind: Service}\n  fieldPaths: [spec.absent.deep]",
  ),
  "an index that is too high": from(
    "data.host",
    "- select: {kind: Service}\n  fieldPaths: [spec.ports.3.port]",
  ),
  "a part that is not there": from(
    "data.host",
    "- select: {kind: Service}",
    ", options: {delimiter: '.', index: 5}",
  ),
  "a delimiter for a mapping":
    "- source: {kind: Service, fieldPath: spec.selector, options: {delimiter: '.'}}\n  targets: [{select: {kind: ConfigMap}}]",
};

/** Values that are copied from field to field. */
export const cases: readonly TreeCase[] = [
  ...Object.entries(texts).map(([name, text]) => ({ name, tree: replacing(text) })),
  {
    name: "in files, one and a list",
    tree: `${replacing("- path: one.yaml\n- path: list.yaml")}## one.yaml
source: {kind: ConfigMap, fieldPath: data.host}
targets: [{select: {kind: Service}, fieldPaths: [metadata.name]}]
## list.yaml
- source: {kind: ConfigMap, fieldPath: data.port}
  targets: [{select: {kind: Service}, fieldPaths: [spec.ports.0.port]}]
`,
  },
  { name: "a file and more", tree: replacing("- {path: one.yaml, targets: [{select: {}}]}") },
  {
    name: "ReplacementTransformer",
    tree: `${objects}## kustomization.yaml
resources: [all.yaml]
namePrefix: x-
transformers:
- |
  apiVersion: builtin
  kind: ReplacementTransformer
  metadata: {name: r}
  replacements:
  - source: {kind: ConfigMap, name: source}
    targets: [{select: {kind: Service}, fieldPaths: [spec.externalName], options: {create: true}}]
`,
  },
];
