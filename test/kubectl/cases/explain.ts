import type { Suite } from "../golden-case.ts";

const gadgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, shortNames: [gd]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: |-
          Gadget does things that are described at some length, so that the line has to be broken somewhere near eighty.

          A second paragraph:
            - with a list
            - of two
        required: [spec]
        properties:
          spec:
            type: object
            description: What is wanted.
            required: [size, parts]
            externalDocs: {description: Where to read more about what is wanted, url: "https://example.com/spec"}
            properties:
              size: {type: integer, description: How big., minimum: 1, enum: [1, 2, 3]}
              color:
                type: string
                enum: ["", red, green, blue, yellow]
                description: What color, which is something that people ask about quite often and at length, in all kinds of places.
              port: {x-kubernetes-int-or-string: true, description: A port.}
              free: {x-kubernetes-preserve-unknown-fields: true}
              labels: {type: object, additionalProperties: {type: string}, externalDocs: {url: "https://example.com/labels"}}
              parts:
                type: array
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string}
                    tree: {type: object, properties: {leaf: {type: array, items: {type: array, items: {type: number}}}}}
              byName: {type: object, additionalProperties: {type: object, properties: {ratio: {type: number, enum: [0.5, 1]}}}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`;

const fields = [
  "pods",
  "pods.spec",
  "pod.spec.containers",
  "po.spec.containers.imagePullPolicy",
  "pods.spec.volumes.hostPath.type",
  "pods.spec.tolerations",
  "pods.metadata.labels",
  "pods..spec.restartPolicy",
  "pods.",
  "Deployment",
  "deployments.apps.spec.strategy",
  "deploy.spec.replicas",
  "events.note",
  "events.events.k8s.io",
  "nodes",
  "bindings",
  "tokenreviews.spec",
  "crd.spec.versions.schema.openAPIV3Schema.properties.properties",
];

const mistakes = [
  "",
  " pods spec",
  " foo",
  " foo.bar",
  " pods/x",
  " pods.foo",
  " pods.spec.containers.name.x",
  " pods.metadata.labels.x",
  " pods.spec.nodeSelector.x",
  " deployments.v1.apps",
  " .pods",
  " {pods}",
  " ''",
  " pods[0]",
  " pods.spec[0]",
  " 'pods.spec.containers[*].name'",
  " pods -o json",
  " pods --output=foo",
  " deployments --api-version=apps/v9",
  " deployments --api-version=apps/v9 -o plaintext-openapiv2",
  " deployments --api-version=a/b/c",
  " pods --api-version=apps/v1",
  " pods --max-depth=2",
  " pods --max-depth=-1",
  " pods --max-depth=two",
  " pods --frobnicate",
  " pods.foo -o plaintext-openapiv2",
];

const customFields = [
  "gadgets",
  "gadgets -R",
  "gadgets --recursive --max-depth=2",
  "gadgets.spec",
  "gd.spec.size",
  "gadget.spec.color",
  "gadgets.spec.port",
  "gadgets.spec.free",
  "gadgets.spec.labels",
  "gadgets.spec.parts",
  "gadgets.spec.parts.tree.leaf",
  "gadgets.spec.byName.ratio",
  "gadgets.spec.byName.x",
  "gadgets.status.x",
  "gadgets.example.com.spec.parts",
  "gadgets -o plaintext-openapiv2",
  "gadgets.spec -o plaintext-openapiv2",
  "gadgets.spec.size -o plaintext-openapiv2",
  "gadgets.spec.parts -o plaintext-openapiv2",
  "gadgets.spec.free -o plaintext-openapiv2",
  "gadgets -R -o plaintext-openapiv2",
  "gadgets -R --max-depth=2 -o plaintext-openapiv2",
];

export const suite: Suite = {
  name: "explain",
  files: { "gadgets.yaml": gadgets },
  cases: [
    { command: "kubectl explain --help", only: "usage" },
    ...fields.map((field) => `kubectl explain ${field}`),
    ...mistakes.map((rest) => `kubectl explain${rest}`),
    "kubectl explain horizontalpodautoscalers.spec --api-version=autoscaling/v1",
    "kubectl explain cronjobs --recursive --max-depth=3",
    "kubectl explain deployment.spec.strategy --recursive",
    "kubectl explain pods.spec.containers -o plaintext-openapiv2",
    "kubectl explain services --recursive -o plaintext-openapiv2",
    "kubectl create -f gadgets.yaml",
    "kubectl wait --for=condition=Established crd/gadgets.example.com",
    ...customFields.map((field) => `kubectl explain ${field}`),
  ],
};
