import type { Case, Step } from "../case.ts";
import { account, claim, later, map, mirror, nodes, pod } from "./admission-bodies.ts";
import { objectOf } from "./create-each.ts";
import { sequence } from "./sequence.ts";
import { claims, configMaps, create, merge, pods } from "./steps.ts";

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

const node = "parity-node";

const asNode = (step: Step): Step => ({
  ...step,
  headers: {
    ...step.headers,
    "impersonate-user": `system:node:${node}`,
    "impersonate-group": "system:nodes",
  },
});

const owner = { apiVersion: "v1", kind: "Node", name: node, uid: "u", controller: true };

export const nodeCases: Case[] = [
  sequence(
    "node: itself",
    asNode(create(nodes, objectOf("v1", "Node", {}, { name: "other" }))),
    asNode(
      create(
        nodes,
        objectOf(
          "v1",
          "Node",
          {},
          {
            name: node,
            labels: {
              "node-restriction.kubernetes.io/a": "b",
              "kubernetes.io/b": "c",
              "kubernetes.io/os": "linux",
              "node.kubernetes.io/d": "e",
            },
          },
        ),
      ),
    ),
    asNode(create(nodes, objectOf("v1", "Node", {}, { name: node }))),
    asNode(merge(`${nodes}/${node}`, { spec: { taints: null } })),
    asNode(merge(`${nodes}/${node}`, { metadata: { labels: { "kubernetes.io/x": "y" } } })),
    asNode(merge(`${nodes}/${node}`, { metadata: { labels: { a: "y" } } })),
    asNode(merge(`${nodes}/${node}`, { metadata: { ownerReferences: [owner] } })),
    later({ method: "DELETE", path: `${nodes}/${node}` }),
  ),
  sequence(
    "node: pods",
    asNode(create(pods, pod())),
    asNode(create(pods, pod({ nodeName: "other" }, mirror()))),
    asNode(create(pods, pod({ nodeName: node }, mirror()))),
    asNode(create(pods, pod({ nodeName: node }, { ...mirror(), ownerReferences: [owner] }))),
    account(),
    create(pods, pod({ nodeName: "other" })),
    later(asNode({ method: "DELETE", path: `${pods}/a` })),
    asNode(merge(`${pods}/a`, { metadata: { labels: { a: "b" } } })),
    asNode(merge(`${pods}/a/status`, { status: { phase: "Running" } })),
    asNode(create(`${pods}/a/eviction`, objectOf("policy/v1", "Eviction", {}, { name: "a" }))),
    asNode({ method: "DELETE", path: `${pods}/none` }),
  ),
  sequence(
    "node: others",
    asNode(create(leases, objectOf("coordination.k8s.io/v1", "Lease", {}, { name: "other" }))),
    asNode(
      create(
        "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
        objectOf("coordination.k8s.io/v1", "Lease", {}, { name: node }),
      ),
    ),
    create(claims, claim("1Gi")),
    asNode(merge(`${claims}/a`, { metadata: { labels: { a: "b" } } })),
    asNode(
      create(
        "/apis/storage.k8s.io/v1/csinodes",
        objectOf("storage.k8s.io/v1", "CSINode", { spec: { drivers: [] } }, { name: "other" }),
      ),
    ),
    asNode(create(configMaps, map())),
  ),
];

const hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

const unreachable = (change: object): object =>
  objectOf(
    "admissionregistration.k8s.io/v1",
    "ValidatingWebhookConfiguration",
    {
      webhooks: [
        {
          name: "x.example.com",
          clientConfig: { url: "https://127.0.0.1:1/check" },
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } },
          rules: [
            {
              operations: ["CREATE", "DELETE"],
              apiGroups: [""],
              apiVersions: ["v1"],
              resources: ["configmaps"],
            },
          ],
          ...change,
        },
      ],
    },
    { name: "{ns}" },
  );

export const webhookCases: Case[] = [
  sequence(
    "webhook: nobody there",
    create(hooks, unreachable({})),
    later(create(configMaps, map())),
    create(configMaps, map(), { query: "dryRun=All" }),
    { method: "DELETE", path: `${hooks}/{ns}` },
  ),
  sequence(
    "webhook: no service",
    create(
      hooks,
      unreachable({
        clientConfig: { service: { name: "a", namespace: "{ns}", path: "/b" } },
        timeoutSeconds: 3,
      }),
    ),
    later(create(configMaps, map())),
    { method: "DELETE", path: `${hooks}/{ns}` },
  ),
  sequence(
    "webhook: ignored",
    create(hooks, unreachable({ failurePolicy: "Ignore" })),
    later(create(configMaps, map())),
    { method: "DELETE", path: `${hooks}/{ns}` },
  ),
  sequence(
    "webhook: condition fails",
    create(
      hooks,
      unreachable({ matchConditions: [{ name: "a", expression: "object.spec.x == 1" }] }),
    ),
    later(create(configMaps, map())),
    { method: "DELETE", path: `${hooks}/{ns}` },
  ),
];
