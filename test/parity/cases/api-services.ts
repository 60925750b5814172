import type { Area, Case } from "../case.ts";
import { create, merge, read, update } from "./steps.ts";

const path = "/apis/apiregistration.k8s.io/v1/apiservices";
const group = "{ns}.example.com";
const one = `${path}/v1.${group}`;
const service = { namespace: "{ns}", name: "a" };
const caBundle = Buffer.from("x").toString("base64");

/** An APIService of the case's own group, with parts of its spec replaced. */
const apiService = (spec: object = {}, metadata: object = {}): object => ({
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: `v1.${group}`, ...metadata },
  spec: { group, version: "v1", groupPriorityMinimum: 100, versionPriority: 10, ...spec },
});

const created: Readonly<Record<string, object>> = {
  local: apiService(),
  "status sent along": { ...apiService(), status: { conditions: [{ type: "A", status: "B" }] } },
  "no name": apiService({}, { name: "" }),
  "another name": apiService({}, { name: "v1.b" }),
  "bad name": apiService({}, { name: "a/b" }),
  "no group": apiService({ group: "", version: "v2" }, { name: "v2." }),
  "bad group": apiService({ group: "A_{ns}" }, { name: "v1.A_{ns}" }),
  "bad version": apiService({ version: "V1" }, { name: `V1.${group}` }),
  "no version": apiService({ version: "" }, { name: `.${group}` }),
  "no priorities": apiService({ groupPriorityMinimum: 0, versionPriority: 0 }),
  "high priorities": apiService({ groupPriorityMinimum: 20001, versionPriority: 1001 }),
  "highest priorities": apiService({ groupPriorityMinimum: 20000, versionPriority: 1000 }),
  "local with certificates": apiService({ caBundle, insecureSkipTLSVerify: true }),
  "service without name": apiService({ service: {} }),
  "bad ports": apiService({ service: { ...service, port: 0 } }),
  "high port": apiService({ service: { ...service, port: 70000 } }),
  "insecure with certificates": apiService({ service, caBundle, insecureSkipTLSVerify: true }),
  "bad finalizer": apiService({}, { finalizers: ["a"] }),
  "nothing in it": { apiVersion: "apiregistration.k8s.io/v1", kind: "APIService" },
  "bad bundle": apiService({ service, caBundle: "%" }),
  "unknown field": apiService({ foo: 1 }),
  "wrong type": apiService({ versionPriority: "10" }),
};

const creation: Case[] = Object.entries(created).map(([name, body]) => ({
  name: `create: ${name}`,
  steps: [create(path, body)],
}));

const dry = `${path}?dryRun=All`;
const json = { "content-type": "application/json" };
const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };

const others: Case[] = [
  {
    name: "remote: port by default",
    steps: [create(dry, apiService({ service, insecureSkipTLSVerify: true }))],
  },
  {
    name: "update: priorities",
    steps: [
      create(path, apiService()),
      merge(one, { spec: { versionPriority: 20 } }),
      merge(one, { spec: { versionPriority: 0, group: "b" } }),
      update(one, apiService()),
      { method: "DELETE", path: one },
      read(one),
    ],
  },
  {
    name: "status: conditions",
    steps: [
      create(path, apiService()),
      merge(`${one}/status`, { status: { conditions: [{ type: "Available", status: "Maybe" }] } }),
      merge(`${one}/status`, { metadata: { labels: { a: "b" } }, spec: { versionPriority: 3 } }),
      read(`${one}/status`),
    ],
  },
  {
    name: "table: local",
    steps: [create(path, apiService()), { ...read(one), headers: table }],
  },
  {
    name: "own APIs",
    steps: ["v1.", "v1.apps", "v2.autoscaling", "v1.apiextensions.k8s.io"].map((name) =>
      read(`${path}/${name}`),
    ),
  },
  { name: "not registered itself", steps: [read(`${path}/v1.apiregistration.k8s.io`)] },
  {
    name: "field selectors",
    steps: [
      read(`${path}?fieldSelector=spec.group=a`),
      read(`${path}?fieldSelector=metadata.name=b`),
    ],
  },
  {
    name: "apply",
    steps: [
      {
        method: "PATCH",
        path: `${one}?fieldManager=a`,
        headers: { ...json, "content-type": "application/apply-patch+yaml" },
        body: apiService(),
      },
    ],
  },
];

/** Registered APIs. */
export const apiServicesArea: Area = { name: "api-services", cases: [...creation, ...others] };
