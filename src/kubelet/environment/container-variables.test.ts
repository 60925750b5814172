import assert from "node:assert/strict";
import { test } from "node:test";
import { type Container, configMaps, type Pod, type Service } from "#/api/core/v1.ts";
import { notFound } from "#/machinery/meta/status-error.ts";
import { containerVariables, type VariableSources } from "./container-variables.ts";
import { parseEnvFile } from "./env-file.ts";
import { expandSubPath, expandVariables, lookupIn } from "./expand-variables.ts";
import { podField, resourceField } from "./pod-field.ts";
import { serviceVariables } from "./service-variables.ts";

const facts = {
  hostIPs: ["10.0.0.1"],
  podIPs: ["10.1.0.7", "fd00::7"],
  allocatable: { cpu: "2", memory: "4Gi" },
};

const expansions: readonly [string, string][] = [
  ["$(A)-$(B)", "1-2"],
  ["$$(A)", "$(A)"],
  ["$$$(A)", "$1"],
  ["$(MISSING)", "$(MISSING)"],
  ["$(A", "$(A"],
  ["$A $", "$A $"],
  ["$$$$", "$$"],
];
for (const [text, expected] of expansions) {
  test(`expandVariables() turns ${text} into ${expected}`, () => {
    const lookup = lookupIn(new Map([["A", "1"]]), new Map([["B", "2"]]));
    assert.equal(expandVariables(text, lookup), expected);
  });
}

test("expandSubPath() needs a value for each variable", () => {
  const environment = [{ name: "A", value: "x" }];
  assert.equal(expandSubPath("a/$(A)", environment), "a/x");
  assert.throws(() => expandSubPath("$(C)/$(B)", environment), /^Error: missing value for B, C$/);
});

test("serviceVariables() names host, ports and links", () => {
  const service = (namespace: string, name: string): Service => ({
    metadata: { name, namespace },
    spec: {
      clusterIP: "10.96.0.9",
      ports: [{ port: 80 }, { name: "s-q", port: 53, protocol: "UDP" }],
    },
  });
  const services = [service("default", "kubernetes"), service("a", "my-db"), service("b", "other")];
  const links = serviceVariables(services, "a", true);
  assert.deepEqual(Object.fromEntries([...links].filter(([name]) => name.startsWith("MY_DB"))), {
    MY_DB_SERVICE_HOST: "10.96.0.9",
    MY_DB_SERVICE_PORT: "80",
    MY_DB_SERVICE_PORT_S_Q: "53",
    MY_DB_PORT: "tcp://10.96.0.9:80",
    MY_DB_PORT_80_TCP: "tcp://10.96.0.9:80",
    MY_DB_PORT_80_TCP_PROTO: "tcp",
    MY_DB_PORT_80_TCP_PORT: "80",
    MY_DB_PORT_80_TCP_ADDR: "10.96.0.9",
    MY_DB_PORT_53_UDP: "udp://10.96.0.9:53",
    MY_DB_PORT_53_UDP_PROTO: "udp",
    MY_DB_PORT_53_UDP_PORT: "53",
    MY_DB_PORT_53_UDP_ADDR: "10.96.0.9",
  });
  assert.equal(links.has("OTHER_SERVICE_HOST"), false);
  const unlinked = serviceVariables(services, "a", false);
  assert.equal(unlinked.has("KUBERNETES_SERVICE_HOST"), true);
  assert.equal(unlinked.has("MY_DB_SERVICE_HOST"), false);
});

const container: Container = {
  name: "c",
  resources: { requests: { cpu: "250m" }, limits: { memory: "64Mi" } },
};
const pod: Pod = {
  metadata: { name: "p", namespace: "a", uid: "u", labels: { b: "2", a: 'x"y' } },
  spec: { containers: [container], nodeName: "n" },
};

const fields: readonly [string, string][] = [
  ["metadata.labels", 'a="x\\"y"\nb="2"'],
  ["metadata.labels['b']", "2"],
  ["metadata.annotations['none']", ""],
  ["status.podIPs", "10.1.0.7,fd00::7"],
  ["status.hostIP", "10.0.0.1"],
];
for (const [fieldPath, expected] of fields) {
  test(`podField() reads ${fieldPath}`, () => {
    assert.equal(podField(pod, { fieldPath }, facts), expected);
  });
}

const amounts: readonly [string, string | undefined, string][] = [
  ["requests.cpu", undefined, "1"],
  ["requests.cpu", "1m", "250"],
  ["limits.cpu", undefined, "2"],
  ["limits.memory", "1Mi", "64"],
  ["requests.memory", undefined, "0"],
];
for (const [resource, divisor, expected] of amounts) {
  test(`resourceField() gives ${resource} in ${divisor ?? "units"}`, () => {
    const selector = { resource, ...(divisor === undefined ? {} : { divisor }) };
    assert.equal(resourceField(pod, selector, facts, container), expected);
  });
}

test("parseEnvFile() reads quoted values, also over several lines", () => {
  const text = "# c\nA='1' # x\n  B='two\nlines'\nC= 'no'\n";
  assert.equal(parseEnvFile(text, "B"), "two\nlines");
  assert.equal(parseEnvFile(text, "C"), "");
  assert.throws(() => parseEnvFile("A=1", "A"), /line 1: value must be enclosed in single quotes/);
  assert.throws(() => parseEnvFile("A ='1'", "A"), /line 1: whitespace before '=' is not allowed/);
  assert.throws(() => parseEnvFile("A='1", "A"), /starting at line 1: unclosed single quote/);
});

const sources: VariableSources = {
  getConfigMap: async (_namespace, name) => {
    if (name !== "cm") throw notFound(configMaps, name);
    return { metadata: { name }, data: { K: "v" } };
  },
  getSecret: async (_namespace, name) => ({ metadata: { name }, data: { S: "c2VjcmV0" } }),
  services: [],
  facts,
  readVolumeFile: async (_volume, path) => ({ path, text: "F='file'" }),
};

test("containerVariables() resolves every source, later ones see earlier ones", async () => {
  const environment = await containerVariables(
    pod,
    {
      name: "c",
      envFrom: [{ prefix: "P_", configMapRef: { name: "cm" } }, { secretRef: { name: "s" } }],
      env: [
        { name: "A", value: "$(P_K)/$(S)" },
        { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
        { name: "GONE", valueFrom: { configMapKeyRef: { name: "x", key: "k", optional: true } } },
        { name: "F", valueFrom: { fileKeyRef: { volumeName: "v", path: "e", key: "F" } } },
        { name: "P_K", value: "over" },
      ],
    },
    sources,
  );
  assert.deepEqual(Object.fromEntries(environment.map(({ name, value }) => [name, value])), {
    P_K: "over",
    S: "secret",
    A: "v/secret",
    NODE: "n",
    F: "file",
  });
});

test("containerVariables() names the missing key", async () => {
  const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "cm", key: "no" } } }];
  await assert.rejects(containerVariables(pod, { name: "c", env }, sources), {
    message: "couldn't find key no in ConfigMap a/cm",
  });
});
