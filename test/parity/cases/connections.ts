import type { Area, Case, Step } from "../case.ts";
import { create, read } from "./steps.ts";

const base = "/api/v1/namespaces/{ns}";
const pods = `${base}/pods`;
const pod = `${pods}/a`;

const podOf = (spec: object, containers: readonly string[] = ["main"]): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a" },
  spec: { containers: containers.map((name) => ({ name, image: "i" })), ...spec },
});

const nodeOf = (addresses: readonly object[]): object => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "{ns}" },
  status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port: 1 } } },
});

const localNode = create("/api/v1/nodes", nodeOf([{ type: "InternalIP", address: "127.0.0.1" }]));
const upgrade = { connection: "Upgrade", upgrade: "SPDY/3.1" };
const merge = { "content-type": "application/merge-patch+json" };

const logQueries = [
  "",
  "?container=b",
  "?container=",
  "?tailLines=x",
  "?tailLines=",
  "?tailLines=99999999999999999999",
  "?tailLines=-1",
  "?limitBytes=0",
  "?sinceSeconds=0",
  "?sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z",
  "?sinceTime=2020",
  "?sinceTime=",
  "?tailLines=-1&limitBytes=-1&sinceSeconds=-1",
  "?stream=All",
  "?follow=x&previous=1",
];

const streamPaths = [
  "exec?command=a",
  "exec",
  "exec?container=b&command=a",
  "exec?dryRun=All",
  "attach",
  "attach?container=b",
  "portforward",
  "portforward?ports=x",
  "portforward?ports=80,99999",
];

/** Requests for a pod that is on no node, one that is on no known node, and one whose kubelet doesn't answer. */
function streamCases(): Case[] {
  const steps: Step[] = streamPaths.flatMap((path) => [
    read(`${pod}/${path}`),
    { method: "POST", path: `${pod}/${path}` },
  ]);
  return [
    { name: "streams: no node", steps: [create(pods, podOf({})), ...steps] },
    { name: "streams: no pod", steps },
    {
      name: "streams: unknown node",
      steps: [create(pods, podOf({ nodeName: "none" })), ...steps],
    },
    {
      name: "streams: no upgrade",
      steps: [localNode, create(pods, podOf({ nodeName: "{ns}" }, ["main", "more"])), ...steps],
    },
    {
      name: "streams: kubelet not there",
      steps: [
        localNode,
        create(pods, podOf({ nodeName: "{ns}" })),
        { method: "POST", path: `${pod}/exec?command=a`, headers: upgrade },
      ],
    },
    {
      name: "streams: other methods",
      steps: [create(pods, podOf({})), { method: "PUT", path: `${pod}/exec`, body: {} }],
    },
  ];
}

function logCases(): Case[] {
  const steps = logQueries.map((query) => read(`${pod}/log${query}`));
  return [
    { name: "log: no node", steps: [create(pods, podOf({})), ...steps] },
    { name: "log: no pod", steps },
    {
      name: "log: several containers",
      steps: [
        create(pods, podOf({ initContainers: [{ name: "init", image: "i" }] }, ["main", "b"])),
        ...steps,
        read(`${pod}/log?container=init`),
      ],
    },
    {
      name: "log: unknown node",
      steps: [create(pods, podOf({ nodeName: "none" })), read(`${pod}/log`)],
    },
    {
      name: "log: kubelet not there",
      steps: [
        localNode,
        create(pods, podOf({ nodeName: "{ns}" })),
        read(`${pod}/log?timestamps=true&tailLines=1&sinceTime=2020-01-01T01:00:00%2B01:00`),
        { ...read(`${pod}/log`), headers: { accept: "text/plain" } },
      ],
    },
    {
      name: "log: node without addresses",
      steps: [
        create("/api/v1/nodes", nodeOf([{ type: "X", address: "b" }])),
        create(pods, podOf({ nodeName: "{ns}" })),
        read(`${pod}/log`),
      ],
    },
    {
      name: "log: other methods",
      steps: [create(pods, podOf({})), { method: "POST", path: `${pod}/log`, body: {} }],
    },
  ];
}

const proxyPaths = ["proxy", "proxy/", "proxy/x?y=z"];
const podNames = ["a", "a:80", "http:a:80", "ftp:a:80", "a:b:c:d", ":80"];
const withAddress = (ip: string): Step => ({
  method: "PATCH",
  path: `${pod}/status`,
  headers: merge,
  body: { status: { podIP: ip, podIPs: [{ ip }] } },
});

const service = (ports: readonly object[]): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "a" },
  spec: { clusterIP: "None", ports },
});

function proxyCases(): Case[] {
  const serviceNames = [...podNames, "a:web", "a:81", "none"];
  const nodeNames = ["{ns}", "{ns}:2", "https:{ns}:2", "ftp:{ns}:1", "none"];
  const all = (kind: string, names: readonly string[]): Step[] =>
    names.flatMap((name) => proxyPaths.map((path) => read(`${kind}/${name}/${path}`)));
  return [
    {
      name: "proxy: pod without address",
      steps: [create(pods, podOf({})), ...all(pods, podNames)],
    },
    { name: "proxy: no pod", steps: all(pods, podNames) },
    {
      name: "proxy: service",
      steps: [
        create(`${base}/services`, service([{ name: "web", port: 80 }])),
        ...all(`${base}/services`, serviceNames),
      ],
    },
    {
      name: "proxy: node on loopback",
      steps: [localNode, ...all("/api/v1/nodes", nodeNames)],
    },
    {
      name: "proxy: dry run",
      steps: [{ method: "POST", path: `${pod}/proxy/?dryRun=All`, body: {} }],
    },
    {
      name: "proxy: address not allowed",
      steps: [create(pods, podOf({})), withAddress("127.0.0.1"), read(`${pod}/proxy/`)],
    },
  ];
}

/** Logs of pods, streams into them, and proxies, as far as they need no program at the other end. */
export const connectionsArea: Area = {
  name: "connections",
  cases: [...logCases(), ...streamCases(), ...proxyCases()],
};
