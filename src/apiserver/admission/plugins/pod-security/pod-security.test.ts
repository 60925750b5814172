import assert from "node:assert/strict";
import { test } from "node:test";
import { readSecurityConfiguration } from "./security-configuration.ts";
import { policyFromLabels } from "./security-policy.ts";
import { formatDetails, formatStandard, violationsOf } from "./standard.ts";

const { defaults } = readSecurityConfiguration(undefined);

const labelled: { labels: Record<string, string>; policy: string[]; errors: number }[] = [
  {
    labels: {},
    policy: ["privileged:latest", "privileged:latest", "privileged:latest"],
    errors: 0,
  },
  {
    labels: { enforce: "baseline", "enforce-version": "v1.20" },
    policy: ["baseline:v1.20", "privileged:latest", "baseline:v1.20"],
    errors: 0,
  },
  {
    labels: { enforce: "restricted", warn: "baseline" },
    policy: ["restricted:latest", "privileged:latest", "baseline:latest"],
    errors: 0,
  },
  {
    labels: { enforce: "x", audit: "y", "warn-version": "z" },
    policy: ["restricted:latest", "privileged:latest", "privileged:latest"],
    errors: 3,
  },
];

for (const { labels, policy, errors } of labelled) {
  test(`policyFromLabels() of ${JSON.stringify(labels)}`, () => {
    const prefixed = Object.entries(labels).map(([key, value]) => [
      `pod-security.kubernetes.io/${key}`,
      value,
    ]);
    const found = policyFromLabels(Object.fromEntries(prefixed), defaults);
    const { enforce, audit, warn } = found.policy;
    assert.deepEqual([enforce, audit, warn].map(formatStandard), policy);
    assert.equal(found.errors.length, errors);
  });
}

const container = { name: "c" };
const checked: {
  name: string;
  minor: number;
  spec: object;
  annotations?: object;
  found: string;
}[] = [
  {
    name: "sysctls of v1.26",
    minor: 26,
    spec: { securityContext: { sysctls: [{ name: "net.ipv4.ip_local_reserved_ports" }] } },
    found: "forbidden sysctls (net.ipv4.ip_local_reserved_ports)",
  },
  {
    name: "sysctls of v1.27",
    minor: 27,
    spec: { securityContext: { sysctls: [{ name: "net.ipv4.ip_local_reserved_ports" }] } },
    found: "",
  },
  {
    name: "hosts of probes before v1.34",
    minor: 33,
    spec: { containers: [{ ...container, livenessProbe: { httpGet: { host: "h", port: 1 } } }] },
    found: "",
  },
  {
    name: "hosts of probes",
    minor: 34,
    spec: {
      containers: [
        {
          ...container,
          livenessProbe: { httpGet: { host: "h", port: 1 } },
          lifecycle: { preStop: { tcpSocket: { host: "g", port: 1 } } },
        },
      ],
    },
    found: 'probe or lifecycle host (container "c" uses probe or lifecycle hosts "g", "h")',
  },
  {
    name: "an own user namespace",
    minor: Infinity,
    spec: {
      hostUsers: false,
      containers: [{ ...container, securityContext: { procMount: "Unmasked" } }],
    },
    found: "",
  },
  {
    name: "seccomp by annotation",
    minor: 18,
    annotations: { "seccomp.security.alpha.kubernetes.io/pod": "unconfined" },
    spec: {},
    found:
      'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
  },
];

for (const { name, minor, spec, annotations, found } of checked) {
  test(`violationsOf() baseline: ${name}`, () => {
    const full = { containers: [container], ...spec } as Parameters<typeof violationsOf>[2];
    const metadata = annotations ? { annotations: annotations as Record<string, string> } : {};
    assert.equal(formatDetails(violationsOf({ level: "baseline", minor }, metadata, full)), found);
  });
}

test("readSecurityConfiguration() refuses invalid configurations", () => {
  const given = {
    defaults: { enforce: "x", "audit-version": "1" },
    exemptions: { namespaces: ["a", "a", "B"], usernames: [""] },
  };
  assert.throws(() => readSecurityConfiguration(given), {
    message:
      /defaults.enforce: Invalid value: "x": must be one of privileged, baseline, restricted, defaults.audit-version: .*, exemptions.namespaces\[1\]: Duplicate value: "a", exemptions.namespaces\[2\]: .*, exemptions.usernames\[0\]: Invalid value: "": username must not be empty/,
  });
});
