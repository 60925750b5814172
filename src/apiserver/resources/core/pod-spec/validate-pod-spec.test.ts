import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec } from "#/api/core/v1.ts";
import { formatFieldErrors } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { setPodSpecDefaults } from "./pod-defaults.ts";
import { templateValidationOptions } from "./pod-validation-options.ts";
import { validatePodSpec } from "./validate-pod-spec.ts";

const image = "example.com/i:1";
const container = { name: "c", image };
const httpGet = { port: 80, protocol: "HTTP2" as const };

/** Rules of features that are disabled by default, so no recording has them; here all gates are enabled. */
const cases: readonly (readonly [name: string, spec: Partial<PodSpec>, errors: string])[] = [
  ["a plain pod", {}, ""],
  [
    "a privileged container",
    { containers: [{ ...container, securityContext: { privileged: true } }] },
    "",
  ],
  [
    "a stop signal without a system",
    { containers: [{ ...container, lifecycle: { stopSignal: "SIGTERM" } }] },
    "spec.containers[0].lifecycle.stopSignal: Forbidden: may not be set for containers with empty `spec.os.name`",
  ],
  [
    "a stop signal that Windows lacks",
    {
      os: { name: "windows" },
      containers: [{ ...container, lifecycle: { stopSignal: "SIGHUP" } }],
    },
    'spec.containers[0].lifecycle.stopSignal: Unsupported value: "SIGHUP": supported values: "SIGKILL", "SIGTERM"',
  ],
  [
    "HTTP/2 over TLS",
    { containers: [{ ...container, livenessProbe: { httpGet: { ...httpGet, scheme: "HTTPS" } } }] },
    'spec.containers[0].livenessProbe.httpGet.protocol: Invalid value: "HTTP2": is only supported with HTTP (H2C)',
  ],
  [
    "HTTP/2 with a host",
    { containers: [{ ...container, livenessProbe: { httpGet: { ...httpGet, host: "h" } } }] },
    'spec.containers[0].livenessProbe.httpGet.host: Invalid value: "h": must be empty when `protocol` is "HTTP2"',
  ],
  [
    "bind mount options",
    {
      volumes: [{ name: "v" }],
      containers: [
        {
          ...container,
          volumeMounts: [
            { name: "v", mountPath: "/a", bindMountOptions: ["noexec", "x", "noexec"] },
          ],
        },
      ],
    },
    '[spec.containers[0].volumeMounts[0].bindMountOptions[1]: Unsupported value: "x": supported values: "nodev", "noexec", "nosuid", spec.containers[0].volumeMounts[0].bindMountOptions[2]: Duplicate value: "noexec"]',
  ],
  [
    "the mode of an empty directory",
    { volumes: [{ name: "v", emptyDir: { mode: 0o2000 } }] },
    "spec.volumes[0].emptyDir.mode: Invalid value: 1024: must be a number between 0 and 01777 (octal), both inclusive",
  ],
  [
    "a toleration that compares",
    { tolerations: [{ key: "a", operator: "Gt", value: "x" }] },
    '[spec.tolerations[0].value: Invalid value: "x": must be a valid decimal integer in canonical form, spec.tolerations[0].value: Invalid value: "x": strconv.ParseInt: parsing "x": invalid syntax]',
  ],
  [
    "a scheduling group without a name, and eviction responders",
    { schedulingGroup: {}, evictionResponders: [{ name: "a", priority: -1 }] },
    "[spec.schedulingGroup.podGroupName: Invalid value: null: must specify one of: `podGroupName`, spec.schedulingGroup: Forbidden: may not be set when evictionResponders is set, spec.evictionResponders[0].name: Invalid value: \"a\": must include a prefix (e.g. 'example.com/key'), spec.evictionResponders[0].priority: Invalid value: -1: must be greater than or equal to 0]",
  ],
];

for (const [name, changes, errors] of cases) {
  test(`validatePodSpec() checks ${name}`, () => {
    const spec: PodSpec = { containers: [container], ...changes };
    setPodSpecDefaults(spec);
    const options = templateValidationOptions({ enabled: () => true, allowPrivileged: true });
    const found = validatePodSpec(spec, fieldPath("spec"), { options });
    assert.equal(formatFieldErrors(found), errors);
  });
}
