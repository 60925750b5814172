import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec } from "#/api/core/v1.ts";
import type { PodValidationOptions } from "./base/pod-gates.ts";
import { podValidationOptions, templateValidationOptions } from "./pod-validation-options.ts";

const closed = { enabled: () => false, allowPrivileged: false };
const plain: PodSpec = { containers: [] };

/** Specs of old Pods that new Pods may not have. */
const cases: readonly (readonly [keyof PodValidationOptions, PodSpec])[] = [
  ["allowEmptyImageReference", { ...plain, volumes: [{ name: "v", image: {} }] }],
  ["allowHostNetworkWithUserNamespace", { ...plain, hostUsers: false, hostNetwork: true }],
  [
    "allowTolerationComparison",
    { ...plain, tolerations: [{ key: "a", operator: "Lt", value: "1" }] },
  ],
  [
    "allowHostSysctls",
    { ...plain, hostNetwork: true, securityContext: { sysctls: [{ name: "net.x", value: "1" }] } },
  ],
  [
    "allowIndivisibleHugePages",
    { containers: [{ name: "c", resources: { limits: { "hugepages-2Mi": "3Mi" } } }] },
  ],
  [
    "allowNonLocalTokenPath",
    {
      ...plain,
      volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "/a" } }] } }],
    },
  ],
  ["allowContainerRestartRules", { containers: [{ name: "c", restartPolicy: "Never" }] }],
  [
    "allowSysAdminWithoutEscalation",
    { containers: [{ name: "c", securityContext: { capabilities: { add: ["CAP_SYS_ADMIN"] } } }] },
  ],
  [
    "allowVolumeDevicesWithUserNamespace",
    {
      containers: [{ name: "c", volumeDevices: [{ name: "v", devicePath: "/d" }] }],
      hostUsers: false,
    },
  ],
];

for (const [option, spec] of cases) {
  test(`templateValidationOptions() sets ${option} for old objects that need it`, () => {
    assert.equal(templateValidationOptions(closed)[option], false);
    assert.equal(templateValidationOptions(closed, { metadata: {}, spec: plain })[option], false);
    assert.equal(templateValidationOptions(closed, { metadata: {}, spec })[option], true);
  });
}

test("podValidationOptions() equal those of a template except for being a Pod's", () => {
  assert.equal(podValidationOptions(closed).resourceIsPod, true);
  assert.equal(templateValidationOptions(closed).resourceIsPod, false);
});
