import type { Area, Case } from "../case.ts";
import { createEach, objectOf } from "./create-each.ts";
import { create, merge, read } from "./steps.ts";

const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
const schemas = `${group}/flowschemas`;
const levels = `${group}/prioritylevelconfigurations`;
const apiVersion = "flowcontrol.apiserver.k8s.io/v1";
const schema = (spec: object, name = "{ns}"): object =>
  objectOf(apiVersion, "FlowSchema", { spec }, { name });
const level = (spec: object, name = "{ns}"): object =>
  objectOf(apiVersion, "PriorityLevelConfiguration", { spec }, { name });
const priorityLevelConfiguration = { name: "exempt" };
const everything = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] };
const withRule = (rule: object): object => schema({ priorityLevelConfiguration, rules: [rule] });
const anybody = [{ kind: "User", user: { name: "*" } }];
const limited = (content: object): object => level({ type: "Limited", limited: content });
const queuing = (content: object): object =>
  limited({ limitResponse: { type: "Queue", queuing: content } });
const table = (path: string) => ({
  ...read(path),
  headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
});

const schemaCases: Case[] = [
  ...createEach(schemas, {
    "schema: empty": schema({}),
    "schema: precedence": schema({
      priorityLevelConfiguration: { name: "A_" },
      matchingPrecedence: 1,
    }),
    "schema: high precedence": schema({ priorityLevelConfiguration, matchingPrecedence: 10001 }),
    "schema: negative precedence": schema({ priorityLevelConfiguration, matchingPrecedence: -1 }),
    "schema: method": schema({ priorityLevelConfiguration, distinguisherMethod: { type: "X" } }),
    "schema: no subjects": withRule({ resourceRules: [everything] }),
    "schema: no rules": withRule({ subjects: anybody }),
    "schema: subjects": withRule({
      subjects: [
        { kind: "User" },
        { kind: "Group", group: {}, user: { name: "a" } },
        { kind: "ServiceAccount", serviceAccount: { name: "A_" }, group: { name: "a" } },
        { kind: "ServiceAccount", serviceAccount: { name: "*", namespace: "A" } },
        { kind: "Foo" },
      ],
      resourceRules: [everything],
    }),
    "schema: resource rules": withRule({
      subjects: anybody,
      resourceRules: [
        {},
        {
          verbs: ["*", "get"],
          apiGroups: ["*", "a"],
          resources: ["*", "a"],
          namespaces: ["*", "a"],
        },
        { ...everything, verbs: ["foo"], namespaces: ["A_"] },
      ],
    }),
    "schema: other rules": withRule({
      subjects: anybody,
      nonResourceRules: [
        {},
        { verbs: ["get"], nonResourceURLs: ["*", "/a"] },
        { verbs: ["get"], nonResourceURLs: ["a", "", "/a b", "//", "/a*", "/a/*", "/*/b"] },
      ],
    }),
    "schema: exempt": schema({ priorityLevelConfiguration }, "exempt"),
  }),
  {
    name: "schema: life",
    steps: [
      create(
        schemas,
        withRule({ subjects: anybody, resourceRules: [{ ...everything, clusterScope: true }] }),
      ),
      merge(`${schemas}/{ns}/status`, {
        status: { conditions: [{ type: "" }, { type: "" }] },
      }),
      merge(`${schemas}/catch-all`, { spec: { matchingPrecedence: 500 } }),
    ],
  },
];

const levelCases: Case[] = [
  ...createEach(levels, {
    "level: empty": level({}),
    "level: type": level({ type: "Foo" }),
    "level: exempt": level({ type: "Exempt", exempt: { nominalConcurrencyShares: -1 } }),
    "level: both": level({ type: "Limited", exempt: { lendablePercent: 101 } }),
    "level: shares": limited({
      nominalConcurrencyShares: -1,
      lendablePercent: 101,
      borrowingLimitPercent: -1,
      limitResponse: { type: "Reject" },
    }),
    "level: no response": limited({}),
    "level: bad response": limited({ limitResponse: { type: "Foo" } }),
    "level: reject with queues": limited({ limitResponse: { type: "Reject", queuing: {} } }),
    "level: queue without queues": limited({ limitResponse: { type: "Queue" } }),
    "level: negative queues": queuing({ queues: -1, handSize: -1, queueLengthLimit: -1 }),
    "level: large hand": queuing({ queues: 4, handSize: 8 }),
    "level: many queues": queuing({ queues: 10000001, handSize: 10 }),
    "level: defaults": queuing({}),
    "level: annotation": objectOf(
      apiVersion,
      "PriorityLevelConfiguration",
      { spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } },
      {
        name: "{ns}",
        annotations: { "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares": "" },
      },
    ),
  }),
  {
    name: "level: life",
    steps: [
      create(levels, limited({ nominalConcurrencyShares: 0, limitResponse: { type: "Reject" } })),
      merge(`${levels}/{ns}`, { spec: { limited: { lendablePercent: 5 } } }),
      merge(`${levels}/{ns}/status`, { status: { conditions: [{ type: "A", status: "True" }] } }),
      table(`${levels}/{ns}`),
    ],
  },
  {
    name: "level: of the server",
    steps: [
      merge(`${levels}/catch-all`, { spec: { limited: { lendablePercent: 5 } } }),
      merge(`${levels}/exempt`, { spec: { exempt: { lendablePercent: 5 }, type: "Limited" } }),
      table(`${levels}/workload-low`),
    ],
  },
];

/** Which requests are served first. */
export const flowControlArea: Area = {
  name: "flow-control",
  cases: [...schemaCases, ...levelCases],
};
