import assert from "node:assert/strict";
import { test } from "node:test";
import type { Container, PodSpec, PodStatus } from "#/api/core/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { podValidationOptions } from "../pod-spec/pod-validation-options.ts";
import { validateTransitions } from "./validate-transitions.ts";

const status = (state: object): PodStatus => ({
  containerStatuses: [{ name: "c", ready: false, restartCount: 0, image: "", imageID: "", state }],
});
const rule = { action: "Restart", exitCodes: { operator: "In", values: [7] } };

const cases: readonly (readonly [
  string,
  PodSpec["restartPolicy"],
  Partial<Container>,
  number,
  boolean,
])[] = [
  ["restarts always", "Always", {}, 0, true],
  ["restarts after failure", "OnFailure", {}, 1, true],
  ["has succeeded", "OnFailure", {}, 0, false],
  ["never restarts", "Never", {}, 1, false],
  ["restarts though its pod never does", "Never", { restartPolicy: "Always" }, 0, true],
  ["never restarts though its pod does", "Always", { restartPolicy: "Never" }, 1, false],
  [
    "has a rule for its exit",
    "Never",
    { restartPolicy: "Never", restartPolicyRules: [rule] },
    7,
    true,
  ],
  [
    "has a rule for another exit",
    "Never",
    { restartPolicy: "Never", restartPolicyRules: [rule] },
    8,
    false,
  ],
];

for (const [name, restartPolicy = "Always", container, exitCode, allowed] of cases) {
  test(`validateTransitions(): a container that ${name} ${allowed ? "may" : "may not"} run again`, () => {
    const report = new FieldReport();
    validateTransitions(report, fieldPath("status"), {
      status: status({ running: {} }),
      before: status({ terminated: { exitCode } }),
      spec: { restartPolicy, containers: [{ name: "c", ...container }] },
      options: podValidationOptions({ enabled: () => true, allowPrivileged: false }),
    });
    assert.equal(report.errors.length === 0, allowed);
  });
}
