import type { Area, Case, Step } from "../case.ts";
import { container, pod, podsPath } from "./pod-bodies.ts";
import { evictions } from "./pods-evictions.ts";
import { containerStatus, one, running, setStatus, status, table } from "./pods-life-steps.ts";
import { tables } from "./pods-tables.ts";
import { create, merge, read, strategic } from "./steps.ts";

const dry = { query: "dryRun=All" };

const patch = (spec: object): Step => merge(one, { spec }, dry);

const patchStatus = (change: object): Step => merge(status, { status: change }, dry);

const remove = (body?: object): Step => ({
  method: "DELETE",
  path: one,
  ...(body ? { body } : {}),
});

const bind = (target: object, metadata: object = {}, path = `${one}/binding`): Step =>
  create(path, { apiVersion: "v1", kind: "Binding", metadata: { name: "p", ...metadata }, target });

const updates: Case[] = [
  {
    name: "updates of the spec",
    steps: [
      create(
        podsPath,
        pod(
          { activeDeadlineSeconds: 50, tolerations: [{ key: "a", operator: "Exists" }] },
          { labels: { app: "a" } },
        ),
      ),
      strategic(one, { spec: { containers: [{ name: "c", image: "example.com/i:2" }] } }),
      strategic(one, { spec: { containers: [{ name: "c", image: " x" }] } }, dry),
      strategic(one, { spec: { containers: [{ name: "d", image: "x" }] } }, dry),
      strategic(one, { spec: { containers: [{ name: "c", command: ["sh"] }] } }, dry),
      patch({ activeDeadlineSeconds: 60 }),
      patch({ activeDeadlineSeconds: 40 }),
      patch({ activeDeadlineSeconds: -1 }),
      patch({ activeDeadlineSeconds: null }),
      patch({ nodeName: "n" }),
      patch({ hostNetwork: true }),
      patch({ terminationGracePeriodSeconds: 5 }),
      patch({ tolerations: [{ key: "b", operator: "Exists" }] }),
      patch({
        tolerations: [
          { key: "a", operator: "Exists" },
          { key: "b c", operator: "Exists" },
        ],
      }),
      patch({ nodeSelector: { a: "b" } }),
      patch({ schedulingGates: [{ name: "x" }] }),
      patch({ priority: 5 }),
      patch({ ephemeralContainers: [container({ name: "e" })] }),
      merge(one, { metadata: { annotations: { "kubernetes.io/config.mirror": "x" } } }, dry),
      merge(
        one,
        {
          metadata: {
            annotations: { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" },
          },
        },
        dry,
      ),
      merge(one, { metadata: { labels: { app: "b" } } }),
      merge(one, { status: { phase: "Running" } }, dry),
    ],
  },
  {
    name: "updates of a gated pod",
    steps: [
      create(
        podsPath,
        pod({
          schedulingGates: [{ name: "x" }, { name: "y" }],
          nodeSelector: { a: "b" },
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }],
              },
            },
          },
        }),
      ),
      patch({ schedulingGates: [{ name: "x" }, { name: "z" }] }),
      patch({ schedulingGates: [{ name: "y" }] }),
      patch({ nodeSelector: { c: "d" } }),
      patch({ nodeSelector: { a: "c" } }),
      patch({ nodeSelector: null }),
      patch({ affinity: null }),
      patch({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "b", operator: "Exists" }] }],
            },
          },
        },
      }),
      patch({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: "a", operator: "Exists" },
                    { key: "b", operator: "Exists" },
                  ],
                },
              ],
            },
          },
        },
      }),
      bind({ name: "n" }),
      table(podsPath),
      merge(one, { spec: { schedulingGates: null } }),
      bind({ name: "n" }),
      read(one),
    ],
  },
];

const statuses: Case[] = [
  {
    name: "status",
    steps: [
      create(
        podsPath,
        pod({
          restartPolicy: "OnFailure",
          volumes: [{ name: "v" }],
          initContainers: [container({ name: "i" })],
        }),
      ),
      patchStatus({ phase: "Running", conditions: [{ type: "a b", status: "True" }] }),
      patchStatus({ conditions: [{ type: "Ready", status: "True", observedGeneration: -1 }] }),
      patchStatus({ observedGeneration: -1 }),
      patchStatus({ qosClass: "Guaranteed" }),
      patchStatus({ nominatedNodeName: "A_b" }),
      patchStatus({ podIP: "1.2.3.4" }),
      patchStatus({ podIPs: [{ ip: "1.2.3.4" }] }),
      patchStatus({ podIP: "1.2.3.4", podIPs: [{ ip: "1.2.3.5" }] }),
      patchStatus({ podIPs: [{ ip: "1.2.3.4" }, { ip: "1.2.3.5" }] }),
      patchStatus({ podIPs: [{ ip: "1.2.3.4" }, { ip: "::1" }] }),
      patchStatus({ podIPs: [{ ip: "x" }, { ip: "::1" }] }),
      patchStatus({ podIPs: [{ ip: "FE80::1" }] }),
      patchStatus({ hostIP: "1.1.1.1", hostIPs: [{ ip: "2.2.2.2" }] }),
      patchStatus({ hostIP: "1.1.1.1", hostIPs: [{ ip: "1.1.1.1" }, { ip: "2.2.2.2" }] }),
      patchStatus({ hostIP: "010.1.1.1", hostIPs: [{ ip: "010.1.1.1" }] }),
      patchStatus({
        resourceClaimStatuses: [{ name: "x", resourceClaimName: "A" }, { name: "x" }],
      }),
      patchStatus({ extendedResourceClaimStatus: { requestMappings: [], resourceClaimName: "" } }),
      patchStatus({
        extendedResourceClaimStatus: {
          requestMappings: [
            { containerName: "c", resourceName: "r", requestName: "A" },
            { containerName: "z", resourceName: "r", requestName: "a" },
          ],
          resourceClaimName: "B",
        },
      }),
      patchStatus({ volumeHealth: [{ name: "zz" }] }),
      patchStatus({
        containerStatuses: [
          containerStatus({ user: { linux: { uid: -1, gid: -1, supplementalGroups: [-1] } } }),
        ],
      }),
      patchStatus({
        containerStatuses: [
          containerStatus({
            allocatedResourcesStatus: [
              {
                name: "x",
                resources: [
                  { resourceID: "a", health: "Odd" },
                  { resourceID: "a", health: "Healthy", message: "" },
                ],
              },
              { name: "claim:x" },
            ],
          }),
        ],
      }),
      setStatus({
        phase: "Running",
        observedGeneration: 1,
        conditions: [{ type: "Ready", status: "False", observedGeneration: 1 }],
        containerStatuses: [containerStatus({ state: { terminated: { exitCode: 0 } } })],
        initContainerStatuses: [
          containerStatus({ name: "i", state: { terminated: { exitCode: 1 } } }),
        ],
      }),
      patchStatus({ containerStatuses: [containerStatus(running)] }),
      patchStatus({ initContainerStatuses: [containerStatus({ name: "i", ...running })] }),
      setStatus({ observedGeneration: null, conditions: [{ type: "Ready", status: "True" }] }),
      merge(status, { spec: { nodeName: "x" }, metadata: { labels: { a: "b" } } }),
    ],
  },
];

const subresources: Case[] = [
  {
    name: "ephemeral containers",
    steps: [
      create(podsPath, pod({}, { labels: { app: "a" } })),
      read(`${one}/ephemeralcontainers`),
      strategic(
        `${one}/ephemeralcontainers`,
        { spec: { ephemeralContainers: [container({ name: "c" })] } },
        dry,
      ),
      strategic(`${one}/ephemeralcontainers`, {
        metadata: { labels: { x: "y" } },
        spec: {
          hostNetwork: true,
          ephemeralContainers: [container({ name: "e", targetContainerName: "c" })],
        },
      }),
      strategic(
        `${one}/ephemeralcontainers`,
        { spec: { ephemeralContainers: [{ name: "e", image: "other" }] } },
        dry,
      ),
      merge(
        `${one}/ephemeralcontainers`,
        {
          spec: { ephemeralContainers: [container({ name: "f", ports: [{ containerPort: 1 }] })] },
        },
        dry,
      ),
    ],
  },
  {
    name: "resize",
    steps: [
      create(
        podsPath,
        pod({
          containers: [
            container({
              resources: { requests: { cpu: "1" }, limits: { cpu: "2", memory: "1Gi" } },
            }),
          ],
          initContainers: [container({ name: "i" })],
        }),
      ),
      ...[
        { containers: [{ name: "c", resources: { requests: { cpu: "1500m" } } }] },
        { containers: [{ name: "c", resources: { requests: { cpu: "3" } } }] },
        { containers: [{ name: "c", resources: { limits: { memory: null } } }] },
        { containers: [{ name: "c", resources: { limits: { "ephemeral-storage": "1Gi" } } }] },
        { containers: [{ name: "c", resources: { requests: { cpu: "2", memory: "1Gi" } } }] },
        { containers: [{ name: "d", image: "x" }] },
        { initContainers: [{ name: "i", resources: { requests: { cpu: "1" } } }] },
        { resources: { requests: { cpu: "2" } } },
      ].map((spec) => strategic(`${one}/resize`, { spec }, dry)),
      strategic(`${one}/resize`, {
        spec: {
          containers: [{ name: "c", image: "z", resources: { requests: { cpu: "1500m" } } }],
        },
      }),
      strategic(
        one,
        { spec: { containers: [{ name: "c", resources: { requests: { cpu: "1200m" } } }] } },
        dry,
      ),
    ],
  },
  {
    name: "binding",
    steps: [
      create(podsPath, pod()),
      bind({}),
      bind({ kind: "Pod", name: "n" }),
      bind({ name: "A_b" }),
      bind({ name: "n" }, { name: "q" }),
      bind({ name: "n" }, { uid: "c1f0a1b2-0000-4000-8000-000000000000" }),
      bind({ name: "n" }, { namespace: "other" }),
      bind({ name: "n" }, { name: "nobody" }, `${podsPath}/nobody/binding`),
      bind(
        { kind: "Node", name: "n" },
        { annotations: { x: "y" }, labels: { "topology.kubernetes.io/zone": "z" } },
      ),
      read(one),
      bind({ name: "m" }),
      bind({ name: "m" }, {}, "/api/v1/namespaces/{ns}/bindings"),
      patchStatus({ nominatedNodeName: "m" }),
      remove(),
      bind({ name: "m" }),
      remove({ gracePeriodSeconds: 40 }),
      remove({ gracePeriodSeconds: 10 }),
      remove({ gracePeriodSeconds: 0 }),
      read(one),
    ],
  },
  {
    name: "deletion before there is a node",
    steps: [create(podsPath, pod()), remove({ gracePeriodSeconds: 20 }), read(one)],
  },
  {
    name: "deletion after the end",
    steps: [
      create(podsPath, pod({ nodeName: "n" })),
      setStatus({ phase: "Succeeded" }),
      remove(),
      read(one),
    ],
  },
  {
    name: "deletion with a finalizer",
    steps: [
      create(podsPath, pod({ nodeName: "n" }, { finalizers: ["example.com/f"] })),
      remove(),
      remove({ gracePeriodSeconds: 0 }),
      merge(one, { metadata: { finalizers: null } }),
      read(one),
    ],
  },
  {
    name: "selectors",
    steps: [
      create(podsPath, pod({ nodeName: "n" })),
      ...[
        "spec.nodeName=n",
        "spec.host=n",
        "spec.nodeName!=n",
        "status.phase=Pending,spec.restartPolicy=Always",
        "spec.hostNetwork=false",
        "status.podIPs=x",
        "spec.foo=bar",
      ].map((selector) =>
        table(`${podsPath}?includeObject=None&fieldSelector=${encodeURIComponent(selector)}`),
      ),
    ],
  },
];

/** Pods from their creation to their end. */
export const podLife: Area = {
  name: "pod-life",
  cases: [...updates, ...statuses, ...tables, ...subresources, ...evictions],
};
