import {
  badRegistry,
  caPlaceholder,
  container,
  type Failure,
  type Manifest,
  named,
  object,
  pod,
  service,
  workload,
} from "../failure.ts";

const definition = (group: string, plural: string, kind: string, spec: object = {}): Manifest =>
  object("apiextensions.k8s.io/v1", "CustomResourceDefinition", `${plural}.${group}`, {
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      ],
      ...spec,
    },
  });
const established = (name: string) => [
  "wait",
  `crd/${name}`,
  "--for=condition=Established",
  "--timeout=300s",
];
const rolledOut = (kind: string) => ["rollout", "status", `${kind}/web`, "--timeout=300s"];

export const admissionFailures: readonly Failure[] = [
  {
    name: "webhook-plain",
    objects: [
      {
        ...object("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "why-plain"),
        webhooks: [
          {
            name: "inject.example.com",
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
            objectSelector: { matchLabels: { app: "web" } },
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "webhook-plain" } },
            rules: [
              { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] },
            ],
            clientConfig: { service: { namespace: "webhook-plain", name: "hook", port: 80 } },
          },
        ],
      },
      named("hook", pod(container(), {}, { labels: { app: "hook" } })),
      named("hook", service({ selector: { app: "hook" } })),
      workload("Deployment", container(), { spec: { replicas: 0 } }),
    ],
    afterwards: [
      ["wait", "pod/hook", "--for=condition=Ready", "--timeout=300s"],
      ["scale", "deployment/web", "--replicas=1"],
    ],
    ask: "deployment/web",
    layer: "admission",
    says: /webhook "inject\.example\.com" cannot be called.*plain HTTP/,
  },
  {
    name: "quota-rollout",
    objects: [
      object("v1", "ResourceQuota", "few", { spec: { hard: { pods: "1" } } }),
      workload("Deployment", container(), {
        spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
      }),
    ],
    afterwards: [rolledOut("deployment"), ["set", "env", "deployment/web", "A=b"]],
    ask: "deployment/web",
    layer: "admission",
    says: /quota "few" is exceeded/,
  },
  {
    name: "runtime-class-absent",
    objects: [workload("Deployment", container(), { template: { runtimeClassName: "absent" } })],
    layer: "admission",
    says: /RuntimeClass "absent" does not exist/,
  },
  {
    name: "template-name",
    objects: [
      named(
        "a-stateful-set-whose-name-is-so-long-that-labels-cannot-hold-it",
        workload("StatefulSet", container()),
      ),
    ],
    layer: "admission",
    says: /63 characters|invalid/,
  },
  {
    name: "crd-names",
    objects: [
      definition("why-names.example.com", "firsts", "Widget"),
      definition("why-names.example.com", "seconds", "Widget"),
    ],
    ask: "crd/seconds.why-names.example.com",
    layer: "admission",
    says: /NamesAccepted is False/,
  },
  {
    name: "crd-conversion",
    objects: [
      definition("why-conversion.example.com", "gears", "Gear", {
        conversion: {
          strategy: "Webhook",
          webhook: {
            conversionReviewVersions: ["v1"],
            clientConfig: { service: { namespace: "crd-conversion", name: "absent" } },
          },
        },
      }),
    ],
    ask: "crd/gears.why-conversion.example.com",
    layer: "admission",
    says: /conversion webhook cannot be called.*crd-conversion\/absent does not exist/,
  },
  {
    name: "crd-instances",
    objects: [definition("why-instances.example.com", "caches", "Cache")],
    afterwards: [
      established("caches.why-instances.example.com"),
      {
        ...object("why-instances.example.com/v1", "Cache", "main"),
        metadata: { name: "main", finalizers: ["example.com/drop"] },
      },
      ["delete", "crd", "caches.why-instances.example.com", "--wait=false"],
    ],
    ask: "crd/caches.why-instances.example.com",
    layer: "deletion",
    says: /waits for its Cache crd-instances\/main, which waits for its finalizer example\.com\/drop/,
  },
  {
    name: "custom-status",
    objects: [definition("why-status.example.com", "databases", "Database")],
    afterwards: [
      established("databases.why-status.example.com"),
      object("why-status.example.com/v1", "Database", "main", {
        status: { phase: "Failed", message: "the bucket is not writable" },
      }),
    ],
    ask: "databases.why-status.example.com/main",
    layer: "controllers",
    says: /the bucket is not writable/,
  },
  {
    name: "webhook-idle",
    objects: [
      {
        ...object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "why-idle"),
        webhooks: [
          {
            name: "gone.example.com",
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
            namespaceSelector: { matchLabels: { never: "true" } },
            rules: [
              {
                apiGroups: [""],
                apiVersions: ["v1"],
                operations: ["CREATE"],
                resources: ["secrets"],
              },
            ],
            clientConfig: { service: { namespace: "webhook-idle", name: "absent" } },
          },
        ],
      },
    ],
    layer: "admission",
    says: /"gone\.example\.com" cannot be called/,
  },
  {
    name: "webhook-refuses",
    objects: [
      {
        ...object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "why-no"),
        webhooks: [
          {
            name: "no.example.com",
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
            namespaceSelector: {
              matchLabels: { "kubernetes.io/metadata.name": "webhook-refuses" },
            },
            rules: [
              { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] },
            ],
            clientConfig: { url: badRegistry.webhook, caBundle: caPlaceholder },
          },
        ],
      },
      workload("Deployment", container(), { spec: { replicas: 0 } }),
    ],
    afterwards: [["scale", "deployment/web", "--replicas=1"]],
    ask: "deployment/web",
    layer: "admission",
    says: /webhook "no\.example\.com" .*Pods need an owner/,
  },
];
