import type { Area, Case } from "../case.ts";
import { createEach, objectOf } from "./create-each.ts";
import { create, merge, read } from "./steps.ts";

const group = "/apis/resource.k8s.io/v1";
const classes = `${group}/deviceclasses`;
const claims = `${group}/namespaces/{ns}/resourceclaims`;
const templates = `${group}/namespaces/{ns}/resourceclaimtemplates`;
const slices = `${group}/resourceslices`;
const rules = `${group}/devicetaintrules`;
const apiVersion = "resource.k8s.io/v1";
const deviceClass = (spec: object): object =>
  objectOf(apiVersion, "DeviceClass", { spec }, { name: "{ns}" });
const claim = (devices: object): object =>
  objectOf(apiVersion, "ResourceClaim", { spec: { devices } }, { name: "a" });
const template = (spec: object): object =>
  objectOf(apiVersion, "ResourceClaimTemplate", { spec }, { name: "a" });
const slice = (spec: object): object =>
  objectOf(apiVersion, "ResourceSlice", { spec }, { name: "{ns}" });
const rule = (spec: object): object =>
  objectOf(apiVersion, "DeviceTaintRule", { spec }, { name: "{ns}" });
const exactly = { deviceClassName: "a" };
const pool = { name: "a", resourceSliceCount: 1, generation: 1 };
const table = (path: string) => ({
  ...read(path),
  headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
});

const classCases = createEach(classes, {
  "class: plain": deviceClass({ selectors: [{ cel: { expression: "true" } }] }),
  "class: empty": deviceClass({}),
  "class: no expression": deviceClass({ selectors: [{}] }),
  "class: config": deviceClass({ config: [{}, { opaque: { driver: "A_", parameters: {} } }] }),
  "class: extended": deviceClass({ extendedResourceName: "cpu" }),
});

const claimCases: Case[] = [
  ...createEach(claims, {
    "claim: plain": claim({ requests: [{ name: "a", exactly }] }),
    "claim: empty": claim({}),
    "claim: choices": claim({
      requests: [{ name: "a", firstAvailable: [{ name: "b", ...exactly }] }],
    }),
    "claim: no details": claim({ requests: [{ name: "a" }] }),
    "claim: both": claim({
      requests: [{ name: "a", exactly, firstAvailable: [{ name: "b", ...exactly }] }],
    }),
    "claim: names": claim({ requests: [{ name: "A_", exactly: { deviceClassName: "A_" } }] }),
    "claim: no class": claim({ requests: [{ name: "a", exactly: {} }] }),
    "claim: twice": claim({
      requests: [
        { name: "a", exactly },
        { name: "a", exactly },
      ],
    }),
    "claim: mode": claim({
      requests: [
        { name: "a", exactly: { ...exactly, allocationMode: "All", count: 1 } },
        { name: "b", exactly: { ...exactly, allocationMode: "Foo" } },
        { name: "c", exactly: { ...exactly, count: -1 } },
      ],
    }),
    "claim: tolerations": claim({
      requests: [
        {
          name: "a",
          exactly: {
            ...exactly,
            tolerations: [
              {},
              { operator: "Exists", value: "a" },
              { key: "A b", operator: "Foo", effect: "Foo" },
            ],
          },
        },
      ],
    }),
    "claim: references": claim({
      requests: [{ name: "a", exactly }],
      constraints: [{ requests: ["b", "a/b/c"], matchAttribute: "example.com/a" }],
      config: [{ requests: ["c"], opaque: { driver: "example.com", parameters: {} } }],
    }),
    "claim: many": claim({
      requests: Array.from({ length: 33 }, (_, index) => ({ name: `a${index}`, exactly })),
    }),
  }),
  {
    name: "claim: life",
    steps: [
      create(claims, claim({ requests: [{ name: "a", exactly }] })),
      merge(`${claims}/a`, { spec: { devices: { requests: [] } } }),
      merge(`${claims}/a/status`, {
        status: { reservedFor: [{ resource: "pods", name: "a", uid: "1" }] },
      }),
      merge(`${claims}/a/status`, {
        status: {
          allocation: {
            devices: { results: [{ request: "x", driver: "A_", pool: "", device: "B_" }] },
          },
        },
      }),
      merge(`${claims}/a/status`, {
        status: {
          reservedFor: [{ resource: "pods", name: "a", uid: "1" }],
          allocation: {
            devices: {
              results: [{ request: "a", driver: "example.com", pool: "a", device: "b" }],
            },
          },
        },
      }),
      table(`${claims}/a`),
    ],
  },
  ...createEach(templates, {
    "template: plain": template({ spec: { devices: { requests: [{ name: "a", exactly }] } } }),
    "template: labels": template({ metadata: { labels: { "A b": "c" } }, spec: {} }),
  }),
];

const sliceCases: Case[] = [
  ...createEach(slices, {
    "slice: plain": slice({ driver: "example.com", pool, nodeName: "a", devices: [{ name: "a" }] }),
    "slice: empty": slice({}),
    "slice: nodes": slice({ driver: "example.com", pool, nodeName: "", allNodes: false }),
    "slice: many kinds of nodes": slice({ driver: "E.com", pool, nodeName: "a", allNodes: true }),
    "slice: names": slice({
      driver: "A_",
      pool: { name: "A_/b", resourceSliceCount: 0, generation: -1 },
      allNodes: true,
      devices: [{ name: "A_" }, { name: "b" }, { name: "b" }],
    }),
    "slice: upper case": slice({ driver: "Example.com", pool, nodeName: "a" }),
  }),
  {
    name: "slice: life",
    steps: [
      create(slices, slice({ driver: "example.com", pool, nodeName: "a", devices: [] })),
      merge(`${slices}/{ns}`, { spec: { driver: "b.com", nodeName: "b", pool: { name: "c" } } }),
      merge(`${slices}/{ns}`, { spec: { devices: [{ name: "x" }] } }),
      table(`${slices}/{ns}`),
      read(`${slices}?fieldSelector=spec.foo%3Dx`),
      { method: "DELETE", path: `${slices}/{ns}` },
    ],
  },
  ...createEach(rules, {
    "rule: empty": rule({}),
    "rule: bad": rule({
      deviceSelector: { driver: "A_", pool: "B_", device: "C_" },
      taint: { key: "a b", value: "c d", effect: "Foo" },
    }),
  }),
];

/** Devices that pods request. */
export const devicesArea: Area = {
  name: "devices",
  cases: [...classCases, ...claimCases, ...sliceCases],
};
