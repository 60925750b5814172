import type { Area, Case } from "../case.ts";
import { createEach, objectOf } from "./create-each.ts";
import { configMaps, create, merge, quotas, read, update } from "./steps.ts";

const base = "/api/v1/namespaces/{ns}";
const encoded = (text: string): string => Buffer.from(text).toString("base64");
const named = (apiVersion: string, kind: string) => (content: object, metadata?: object) =>
  objectOf(apiVersion, kind, content, metadata);
const configMap = named("v1", "ConfigMap");
const secret = named("v1", "Secret");
const quota = named("v1", "ResourceQuota");
const limits = named("v1", "LimitRange");
const endpoints = named("v1", "Endpoints");
const account = named("v1", "ServiceAccount");
const node = (content: object, metadata: object = {}): object =>
  objectOf("v1", "Node", content, { name: "{ns}", ...metadata });
const namespace = (content: object, metadata: object = {}): object =>
  objectOf("v1", "Namespace", content, { name: "{ns}-x", ...metadata });

const rename = (prefix: string, cases: readonly Case[]): Case[] =>
  cases.map((test) => ({ ...test, name: `${prefix}: ${test.name}` }));

const configMapCases = createEach(configMaps, {
  empty: configMap({}),
  "bad keys": configMap({ data: { "a/b": "1", "..": "2" } }),
  "key in both": configMap({ data: { a: "1" }, binaryData: { a: encoded("x") } }),
  "bad binary key": configMap({ binaryData: { "a b": encoded("x") } }),
  "bad name": configMap({}, { name: "A_b" }),
  "no name": configMap({}, {}),
  "bad finalizer": configMap({}, { name: "a", finalizers: ["a", "b c", "example.com/x"] }),
  "bad labels": configMap({}, { name: "a", labels: { "a b": "c" }, annotations: { "x y": "z" } }),
});

const secretCases = createEach(`${base}/secrets`, {
  "string data": secret({ data: { a: encoded("1") }, stringData: { a: "2", b: "3" } }),
  "bad key": secret({ data: { "a/b": "" } }),
  "token without account": secret({ type: "kubernetes.io/service-account-token" }),
  "docker without config": secret({ type: "kubernetes.io/dockercfg" }),
  "docker with bad config": secret({
    type: "kubernetes.io/dockerconfigjson",
    stringData: { ".dockerconfigjson": "{" },
  }),
  "docker with a list": secret({
    type: "kubernetes.io/dockerconfigjson",
    stringData: { ".dockerconfigjson": "[]" },
  }),
  "basic auth without anything": secret({ type: "kubernetes.io/basic-auth" }),
  "basic auth with a user": secret({
    type: "kubernetes.io/basic-auth",
    stringData: { username: "x" },
  }),
  "ssh without key": secret({ type: "kubernetes.io/ssh-auth" }),
  "tls without anything": secret({ type: "kubernetes.io/tls" }),
  "tls with rubbish": secret({
    type: "kubernetes.io/tls",
    stringData: { "tls.crt": "x", "tls.key": "y" },
  }),
  "any type": secret({ type: "example.com/x" }),
});

const quotaCases = createEach(quotas, {
  plain: quota({ spec: { hard: { pods: "10", "requests.cpu": "1", "limits.cpu": "2" } } }),
  "request over limit": quota({ spec: { hard: { cpu: "3", "limits.cpu": "2" } } }),
  "unknown resource": quota({ spec: { hard: { foo: "1" } } }),
  "bad resource": quota({ spec: { hard: { "a b": "1" } } }),
  negative: quota({ spec: { hard: { pods: "-1" } } }),
  broken: quota({ spec: { hard: { pods: "1500m" } } }),
  "extended resource": quota({ spec: { hard: { "requests.example.com/x": "1" } } }),
  "unknown scope": quota({ spec: { hard: { pods: "1" }, scopes: ["Foo"] } }),
  "conflicting scopes": quota({
    spec: { hard: { pods: "1" }, scopes: ["BestEffort", "NotBestEffort"] },
  }),
  "scope without use": quota({ spec: { hard: { services: "1" }, scopes: ["BestEffort"] } }),
  selector: quota({
    spec: {
      hard: { pods: "1" },
      scopeSelector: {
        matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["a"] }],
      },
    },
  }),
  "bad selector": quota({
    spec: {
      hard: { services: "1" },
      scopeSelector: {
        matchExpressions: [
          { scopeName: "Foo", operator: "In" },
          { scopeName: "Terminating", operator: "Exists", values: ["a"] },
          { scopeName: "BestEffort", operator: "Like" },
        ],
      },
    },
  }),
});

const limitCases = createEach(`${base}/limitranges`, {
  container: limits({
    spec: { limits: [{ type: "Container", max: { cpu: "2" }, min: { cpu: "1", memory: "1Gi" } }] },
  }),
  "no limits": limits({ spec: { limits: [] } }),
  "unknown type": limits({ spec: { limits: [{ type: "Foo" }] } }),
  "type twice": limits({ spec: { limits: [{ type: "Pod" }, { type: "Pod" }] } }),
  "defaults of pods": limits({
    spec: { limits: [{ type: "Pod", default: { cpu: "1" }, defaultRequest: { cpu: "1" } }] },
  }),
  "claims without storage": limits({ spec: { limits: [{ type: "PersistentVolumeClaim" }] } }),
  "min over max": limits({
    spec: { limits: [{ type: "Pod", max: { cpu: "1" }, min: { cpu: "2" } }] },
  }),
  "default over max": limits({
    spec: { limits: [{ type: "Container", max: { cpu: "1" }, default: { cpu: "2" } }] },
  }),
  "request over default": limits({
    spec: {
      limits: [{ type: "Container", default: { cpu: "1" }, defaultRequest: { cpu: "2" } }],
    },
  }),
  "ratio below 1": limits({
    spec: { limits: [{ type: "Container", maxLimitRequestRatio: { cpu: "500m" } }] },
  }),
  "ratio over max/min": limits({
    spec: {
      limits: [
        {
          type: "Pod",
          max: { cpu: "2" },
          min: { cpu: "1" },
          maxLimitRequestRatio: { cpu: "3" },
        },
      ],
    },
  }),
  "unknown resource": limits({ spec: { limits: [{ type: "Pod", max: { foo: "1" } }] } }),
  "storage for pods": limits({ spec: { limits: [{ type: "Pod", max: { storage: "1" } }] } }),
});

const endpointCases = createEach(`${base}/endpoints`, {
  plain: endpoints({ subsets: [{ addresses: [{ ip: "1.2.3.4" }], ports: [{ port: 80 }] }] }),
  "empty subset": endpoints({ subsets: [{}] }),
  "bad addresses": endpoints({
    subsets: [
      {
        addresses: [{ ip: "x" }, { ip: "127.0.0.1" }, { ip: "01.2.3.4" }],
        notReadyAddresses: [{ ip: "fe80::1", hostname: "A", nodeName: "_" }],
      },
    ],
  }),
  "bad ports": endpoints({
    subsets: [
      {
        addresses: [{ ip: "1.2.3.4" }],
        ports: [{ port: 0 }, { port: 80, name: "A", protocol: "X", appProtocol: "a b" }],
      },
    ],
  }),
  "odd address": endpoints({ subsets: [{ addresses: [{ ip: "FD00:0::1" }] }] }),
});

const nodeCases = createEach("/api/v1/nodes", {
  plain: node({ spec: { podCIDR: "10.1.0.0/24" }, status: { capacity: { cpu: "1" } } }),
  "bad taints": node({
    spec: {
      taints: [
        { key: "a b", value: "c d", effect: "NoSchedule" },
        { key: "a", effect: "Foo" },
        { key: "b", effect: "" },
        { key: "c", effect: "NoExecute" },
        { key: "c", effect: "NoExecute" },
      ],
    },
  }),
  "bad networks": node({ spec: { podCIDRs: ["10.1.0.1/24", "x"] } }),
  "two networks of a family": node({ spec: { podCIDRs: ["10.1.0.0/24", "10.2.0.0/24"] } }),
  "bad amounts": node({ status: { capacity: { cpu: "-1", "example.com/x": "1500m" } } }),
  "bad features": node({ status: { declaredFeatures: ["b", "A", "A"] } }),
  "old fields": node({ spec: { externalID: "x", configSource: { configMap: { name: "a" } } } }),
  "bad annotations": node(
    {},
    {
      annotations: {
        "scheduler.alpha.kubernetes.io/taints": "{",
        "scheduler.alpha.kubernetes.io/preferAvoidPods": "x",
      },
    },
  ),
  "bad name": node({}, { name: "A_b" }),
});

const namespaceCases = createEach("/api/v1/namespaces", {
  plain: namespace({}),
  "with finalizers": namespace({ spec: { finalizers: ["example.com/x"] } }),
  "bad finalizers": namespace({ spec: { finalizers: ["x", "a b"] } }),
  "bad name": namespace({}, { name: "a.b" }),
  "status is ignored": namespace({ status: { phase: "Terminating" } }),
});

const accountCases = createEach(`${base}/serviceaccounts`, {
  plain: account({ secrets: [{ name: "a", kind: "Secret", namespace: "x" }] }),
  "mountable secrets": account(
    {},
    { name: "a", annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } },
  ),
});

const item = `${configMaps}/a`;
const changeCases: Case[] = [
  {
    name: "config map becomes immutable",
    steps: [
      create(configMaps, configMap({ data: { a: "1" }, immutable: true })),
      merge(item, { data: { a: "2" }, binaryData: { b: encoded("x") } }),
      merge(item, { immutable: false }),
      merge(item, { metadata: { labels: { a: "b" } } }),
    ],
  },
  {
    name: "secret changes",
    steps: [
      create(`${base}/secrets`, secret({ stringData: { a: "1" } })),
      merge(`${base}/secrets/a`, { type: "example.com/x" }),
      merge(`${base}/secrets/a`, { stringData: { a: "2" }, immutable: true }),
      merge(`${base}/secrets/a`, { stringData: { a: "3" } }),
      read(`${base}/secrets?fieldSelector=type%3DOpaque`),
      read(`${base}/secrets?fieldSelector=data%3Dx`),
    ],
  },
  ...[
    { path: configMaps, object: configMap({}) },
    { path: `${base}/secrets`, object: secret({}) },
    { path: `${base}/serviceaccounts`, object: account({}) },
    { path: quotas, object: quota({ spec: {} }) },
    { path: `${base}/limitranges`, object: limits({ spec: {} }) },
    { path: `${base}/endpoints`, object: endpoints({}) },
  ].map(
    ({ path, object }): Case => ({
      name: `${path.split("/").at(-1)}: metadata changes`,
      steps: [
        create(path, object),
        merge(`${path}/a`, {
          metadata: {
            labels: { "a b": "c d" },
            annotations: { "x y": "z" },
            finalizers: ["a", "b c", "example.com/x"],
            ownerReferences: [{ apiVersion: "v1", kind: "", name: "", uid: "" }],
          },
        }),
        merge(`${path}/a`, { metadata: { finalizers: ["orphan", "foregroundDeletion"] } }),
        merge(`${path}/a`, { metadata: { uid: "x" } }),
        merge(`${path}/a`, { metadata: { finalizers: ["example.com/x"] } }),
        { method: "DELETE", path: `${path}/a` },
        merge(`${path}/a`, { metadata: { finalizers: ["example.com/x", "example.com/y"] } }),
        merge(`${path}/a`, { metadata: { finalizers: [] } }),
        read(`${path}/a`),
      ],
    }),
  ),
  {
    name: "quota changes",
    steps: [
      create(quotas, quota({ spec: { hard: { pods: "1" } } })),
      merge(`${quotas}/a`, { spec: { scopes: ["Terminating"] } }),
      merge(`${quotas}/a/status`, { status: { hard: { pods: "1" }, used: { pods: "0" } } }),
      merge(`${quotas}/a/status`, { status: { hard: { foo: "1" }, used: { pods: "-1" } } }),
      merge(`${quotas}/a`, { status: { used: { pods: "5" } }, spec: { hard: { pods: "2" } } }),
    ],
  },
  {
    name: "node changes",
    steps: [
      create("/api/v1/nodes", node({ spec: { podCIDR: "10.1.0.0/24", providerID: "a" } })),
      merge("/api/v1/nodes/{ns}", { spec: { podCIDR: "10.2.0.0/24", podCIDRs: ["10.2.0.0/24"] } }),
      merge("/api/v1/nodes/{ns}", { spec: { providerID: "b" } }),
      merge("/api/v1/nodes/{ns}", { spec: { providerID: null } }),
      merge("/api/v1/nodes/{ns}", { spec: { unschedulable: true } }),
      merge("/api/v1/nodes/{ns}/status", {
        metadata: { annotations: { a: "b" } },
        status: {
          addresses: [
            { type: "InternalIP", address: "1.2.3.4" },
            { type: "InternalIP", address: "1.2.3.4" },
          ],
        },
      }),
      merge("/api/v1/nodes/{ns}/status", {
        metadata: { annotations: { a: "b" } },
        spec: { unschedulable: false },
        status: { capacity: { cpu: "2" }, addresses: [{ type: "InternalIP", address: "1.2.3.4" }] },
      }),
      read("/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue%2Cmetadata.name%3D{ns}"),
      read("/api/v1/nodes?fieldSelector=spec.foo%3Dtrue"),
    ],
  },
  {
    name: "namespace ends",
    steps: [
      create("/api/v1/namespaces", namespace({})),
      merge("/api/v1/namespaces/{ns}-x", {
        spec: { finalizers: [] },
        status: { phase: "Terminating" },
      }),
      merge("/api/v1/namespaces/{ns}-x/status", { status: { phase: "Terminating" } }),
      { method: "DELETE", path: "/api/v1/namespaces/{ns}-x" },
      { method: "DELETE", path: "/api/v1/namespaces/{ns}-x" },
      merge("/api/v1/namespaces/{ns}-x/status", { status: { phase: "Active" } }),
      update("/api/v1/namespaces/{ns}-x/finalize", namespace({ spec: { finalizers: ["a"] } })),
      update("/api/v1/namespaces/{ns}-x/finalize", namespace({ spec: {} })),
      read("/api/v1/namespaces/{ns}-x"),
      read("/api/v1/namespaces?fieldSelector=status.phase%3DGone"),
      read("/api/v1/namespaces?fieldSelector=spec.x%3Dy"),
    ],
  },
];

/** Objects of the core group. */
export const coreObjects: Area = {
  name: "core-objects",
  cases: [
    ...rename("config map", configMapCases),
    ...rename("secret", secretCases),
    ...rename("quota", quotaCases),
    ...rename("limit range", limitCases),
    ...rename("endpoints", endpointCases),
    ...rename("node", nodeCases),
    ...rename("namespace", namespaceCases),
    ...rename("service account", accountCases),
    ...changeCases,
  ],
};
