import type { Case } from "../case.ts";
import { objectOf } from "./create-each.ts";
import { create, merge } from "./steps.ts";

const group = "/apis/resource.k8s.io/v1";
const claims = `${group}/namespaces/{ns}/resourceclaims`;
const apiVersion = "resource.k8s.io/v1";
const dry = { query: "dryRun=All" };

const attempt = (name: string, path: string, body: object): Case => ({
  name,
  steps: [create(path, body, dry)],
});
const claim = (devices: object): object =>
  objectOf(apiVersion, "ResourceClaim", { spec: { devices } });
const slice = (spec: object): object =>
  objectOf(
    apiVersion,
    "ResourceSlice",
    {
      spec: {
        driver: "d.example.com",
        pool: { name: "a", resourceSliceCount: 1, generation: 1 },
        allNodes: true,
        ...spec,
      },
    },
    { name: "{ns}" },
  );
const device = (more: object): object => slice({ devices: [{ name: "d", ...more }] });
const policy = (requestPolicy: object): object =>
  device({
    allowMultipleAllocations: true,
    capacity: { memory: { value: "10Gi", requestPolicy } },
  });
const deviceClass = (spec: object, metadata: object = { name: "{ns}" }): object =>
  objectOf(apiVersion, "DeviceClass", { spec }, metadata);

const request = { name: "r", exactly: { deviceClassName: "c" } };
const bad = {
  deviceClassName: "C!",
  allocationMode: "X",
  tolerations: [{ key: "a b", operator: "X", effect: "Y" }],
};

const ofClaims: readonly Case[] = [
  attempt(
    "claim: both kinds of request",
    claims,
    claim({
      requests: [{ name: "r", exactly: bad, firstAvailable: [{ name: "s", ...bad }] }],
    }),
  ),
  attempt(
    "claim: choices",
    claims,
    claim({ requests: [{ name: "r", firstAvailable: [{ name: "S", ...bad }] }] }),
  ),
  attempt(
    "claim: constraints",
    claims,
    claim({
      requests: [request],
      constraints: [{ requests: ["r", "r"], matchAttribute: "x" }, { distinctAttribute: "a/b!" }],
    }),
  ),
  attempt(
    "claim: parameters",
    claims,
    claim({
      requests: [request],
      config: [
        { opaque: { driver: "d".repeat(64), parameters: [] } },
        { opaque: { parameters: { n: 1 } } },
        {},
      ],
    }),
  ),
  attempt(
    "claim: too many requests",
    claims,
    claim({
      requests: Array.from({ length: 33 }, (_, n) => ({ ...request, name: `R${n}` })),
    }),
  ),
  attempt(
    "claim: a template's metadata",
    `${group}/namespaces/{ns}/resourceclaimtemplates`,
    objectOf(apiVersion, "ResourceClaimTemplate", {
      spec: {
        metadata: { name: "x", finalizers: ["a"] },
        spec: { devices: { requests: [request] } },
      },
    }),
  ),
];

const ofSlices: readonly Case[] = [
  attempt(
    "slice: a selector of nodes",
    `${group}/resourceslices`,
    slice({
      allNodes: undefined,
      nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "X" }] }] },
    }),
  ),
  attempt(
    "slice: no selector of nodes",
    `${group}/resourceslices`,
    slice({ allNodes: undefined, nodeSelector: {} }),
  ),
  attempt(
    "slice: features that are off",
    `${group}/resourceslices`,
    device({
      attributes: { a: { string: "x", strings: ["y"] } },
      nodeAllocatableResources: { cpu: {} },
    }),
  ),
  attempt(
    "slice: attributes of two kinds",
    `${group}/resourceslices`,
    device({ attributes: { a: { string: "", int: 1 } } }),
  ),
  attempt(
    "slice: counters",
    `${group}/resourceslices`,
    device({
      consumesCounters: [{ counterSet: "C!", counters: { "X!": { value: "1" } } }, {}],
      taints: [{ key: "a" }],
    }),
  ),
  attempt(
    "slice: shared counters",
    `${group}/resourceslices`,
    slice({ sharedCounters: [{ name: "s".repeat(64) }, {}] }),
  ),
  attempt(
    "slice: a range below zero",
    `${group}/resourceslices`,
    policy({ default: "1Gi", validRange: { min: "-5", max: "8Gi", step: "1Gi" } }),
  ),
  attempt(
    "slice: a range of fractions",
    `${group}/resourceslices`,
    policy({ default: "1", validRange: { min: "500m", max: "2", step: "300m" } }),
  ),
  attempt(
    "slice: values twice",
    `${group}/resourceslices`,
    policy({ default: "1Gi", validValues: ["1Gi", "1Gi"] }),
  ),
];

const ofClasses: readonly Case[] = [
  attempt(
    "class: a bad name, and more",
    `${group}/deviceclasses`,
    deviceClass({ selectors: [{}], extendedResourceName: "a/b/c" }, { name: "A!" }),
  ),
  attempt(
    "class: an extended resource of Kubernetes",
    `${group}/deviceclasses`,
    deviceClass({ extendedResourceName: "requests.kubernetes.io/x" }),
  ),
];

const result = { request: "r", driver: "d.example.com", pool: "p", device: "dev" };
const allocation = { devices: { results: [result] } };
const status = (content: object) => merge(`${claims}/a/status`, { status: content }, dry);

const ofStatus: Case = {
  name: "claim: its status",
  steps: [
    create(claims, claim({ requests: [request] })),
    status({ allocation, devices: [{ driver: "d", pool: "p", device: "x" }] }),
    status({
      allocation,
      devices: [
        {
          driver: "D_",
          shareID: "x",
          data: 5,
          networkData: {
            ips: ["1.2.3.4", "1.2.3.4/24", "1.2.3.4/24"],
            interfaceName: "x".repeat(257),
          },
          conditions: [{ type: "a" }],
        },
      ],
    }),
    status({
      allocation: {
        devices: {
          results: [
            {
              ...result,
              request: "zz",
              pool: "P!",
              device: "D",
              shareID: "x",
              bindingConditions: ["a b"],
              tolerations: [{ operator: "X" }],
            },
          ],
          config: [{ source: "X", opaque: { driver: "d", parameters: [] } }, {}],
        },
        nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Z" }] }] },
      },
    }),
    status({ reservedFor: [{ resource: "pods", name: "a", uid: "u" }] }),
  ],
};

const templates = `${group}/namespaces/{ns}/resourceclaimtemplates`;
const exactly = { deviceClassName: "c", selectors: [{ cel: { expression: "true" } }] };
const templateChange = (spec: object): ReturnType<typeof merge> =>
  merge(`${templates}/t`, { spec }, dry);

const ofChanges: readonly Case[] = [
  {
    name: "claim template: changes",
    steps: [
      create(
        templates,
        objectOf(
          apiVersion,
          "ResourceClaimTemplate",
          {
            spec: {
              metadata: { labels: { a: "b" } },
              spec: { devices: { requests: [{ name: "r", exactly }] } },
            },
          },
          { name: "t" },
        ),
      ),
      templateChange({
        spec: { devices: { requests: [{ name: "R", exactly: { ...exactly, ...bad } }] } },
      }),
      templateChange({ metadata: { ownerReferences: [{ name: "x", uid: "u" }] } }),
    ],
  },
  {
    name: "claim: changes of its metadata",
    steps: [
      create(claims, objectOf(apiVersion, "ResourceClaim", { spec: {} }, { name: "c" })),
      merge(`${claims}/c`, { metadata: { generateName: "Bad" } }, dry),
    ],
  },
  attempt("slice: attributes that are none", `${group}/resourceslices`, device({ attributes: 5 })),
  attempt("slice: capacity that is none", `${group}/resourceslices`, device({ capacity: [] })),
];

/** Invalid claims, slices and classes, found by mutation of valid ones. */
export const deviceRefusals: readonly Case[] = [
  ...ofClaims,
  ...ofSlices,
  ...ofClasses,
  ofStatus,
  ...ofChanges,
];
