import type { Container, ContainerResizePolicy, ContainerRestartRule } from "#/api/core/v1.ts";
import { JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import type { ValidationScope } from "./base/validation-scope.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

const policies = ["Always", "Never", "OnFailure"];
const operators = ["In", "NotIn"];
const maxRules = 20;
const maxExitCodes = 255;
const rulesWithoutPolicy = "must specify restartPolicy when restart rules are used";

/** Checks the restart policy and restart rules of a container. */
export function validateRestartPolicy(
  { restartPolicy: policy, restartPolicyRules: rules = [] }: Container,
  path: FieldPath,
  scope: ValidationScope,
): void {
  const { report } = scope;
  if (policy === undefined) {
    if (rules.length === 0) return;
    report.required(path, "restartPolicy", rulesWithoutPolicy);
  } else if (!policies.includes(policy)) {
    report.notSupported(path, "restartPolicy", policy, policies);
  }
  if (rules.length > maxRules) {
    report.tooMany(path, "restartPolicyRules", { actual: rules.length, max: maxRules });
  }
  rules.forEach((rule, index) => {
    validateRule(rule, path.child("restartPolicyRules").index(index), scope);
  });
}

function validateRule(
  { action = "", exitCodes }: ContainerRestartRule,
  path: FieldPath,
  { report, options }: ValidationScope,
): void {
  const actions = options.allowRestartAllContainers
    ? ["Restart", "RestartAllContainers"]
    : ["Restart"];
  if (!actions.includes(action)) report.notSupported(path, "action", action, actions);
  if (exitCodes === undefined) {
    report.required(path, "exitCodes", "must be specified");
    return;
  }
  const { operator = "", values = [] } = exitCodes;
  const at = path.child("exitCodes");
  if (!operators.includes(operator)) report.notSupported(at, "operator", operator, operators);
  if (values.length > maxExitCodes) {
    report.tooMany(at, "values", { actual: values.length, max: maxExitCodes });
  }
}

/** The same for an init container, where Always makes it a sidecar. */
export function validateInitRestartPolicy(
  container: Container,
  path: FieldPath,
  scope: ValidationScope,
): void {
  const { report, options } = scope;
  const { restartPolicy: policy, restartPolicyRules: rules = [] } = container;
  if (policy === undefined) {
    if (rules.length > 0) report.required(path, "restartPolicy", rulesWithoutPolicy);
  } else if (!options.allowContainerRestartRules) {
    if (policy !== "Always") report.notSupported(path, "restartPolicy", policy, ["Always"]);
  } else if (policy !== "Always" || options.allowRestartAllContainers) {
    validateRestartPolicy(container, path, scope);
  } else if (rules.length > 0) {
    const detail =
      "restartPolicyRules are not allowed for init containers with restart policy Always";
    report.forbidden(path, "restartPolicyRules", detail);
  }
}

const resizeResources = ["cpu", "memory"];
const resizePolicies = ["NotRequired", "RestartContainer"];

/** Checks the resize policy of a container. */
export function validateResizePolicy(
  list: readonly ContainerResizePolicy[],
  path: FieldPath,
  { report, restartPolicy: ofPod }: ValidationScope,
): void {
  const seen = new Set<string>();
  list.forEach(({ resourceName, restartPolicy }, index) => {
    if (seen.has(resourceName))
      report.duplicate(path.index(index), "", new JsonValue(resourceName));
    seen.add(resourceName);
    if (!resourceName) report.required(path, "");
    else if (!resizeResources.includes(resourceName)) {
      report.notSupported(path, "", resourceName, resizeResources);
    }
    if (!restartPolicy) report.required(path, "");
    else if (!resizePolicies.includes(restartPolicy)) {
      report.notSupported(path, "", restartPolicy, resizePolicies);
    }
    if (ofPod === "Never" && restartPolicy !== "NotRequired") {
      const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      report.invalid(path, "", new JsonValue(restartPolicy), detail);
    }
  });
}
