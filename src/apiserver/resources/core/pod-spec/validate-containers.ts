import type { Container, ContainerPort, EphemeralContainer } from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1123Label } from "#/machinery/meta/names.ts";
import { isPortName, isPortNumber } from "#/machinery/meta/text-rules.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import { validatePullPolicy } from "./base/validate-pull-policy.ts";
import type { ValidationScope } from "./base/validation-scope.ts";
import { isSidecar } from "./base/visit-containers.ts";
import { validateEnv, validateEnvFrom } from "./validate-env.ts";
import { validateHooksAndProbes } from "./validate-probes.ts";
import { validateContainerResources } from "./validate-resources.ts";
import {
  validateInitRestartPolicy,
  validateResizePolicy,
  validateRestartPolicy,
} from "./validate-restart.ts";
import { validateSecurityContext } from "./validate-security.ts";
import { validateDevices, validateMounts } from "./volumes/validate-mounts.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

/** Checks the regular containers. */
export function validateContainers(
  containers: readonly Container[] | undefined,
  path: FieldPath,
  scope: ValidationScope,
): void {
  const { report, options } = scope;
  if (!containers?.length) {
    report.required(path, "");
    return;
  }
  const names = new Set<string>();
  containers.forEach((container, index) => {
    const at = path.index(index);
    validateContainer(container, at, scope);
    if (names.has(container.name)) report.duplicate(at, "name", container.name);
    names.add(container.name);
    validateHooksAndProbes(container, at, scope);
    if (options.allowContainerRestartRules) validateRestartPolicy(container, at, scope);
    else if (container.restartPolicy !== undefined) {
      report.forbidden(at, "restartPolicy", "may not be set for non-init containers");
    }
  });
  validateHostPorts(report, path, containers);
}

/** Checks the init containers, sidecars included. */
export function validateInitContainers(
  initContainers: readonly Container[] | undefined,
  path: FieldPath,
  containers: readonly Container[],
  scope: ValidationScope,
): void {
  if (initContainers === undefined) return;
  const { report } = scope;
  const names = new Set(containers.map(({ name }) => name));
  initContainers.forEach((container, index) => {
    const at = path.index(index);
    validateContainer(container, at, scope);
    validateInitRestartPolicy(container, at, scope);
    if (names.has(container.name)) report.duplicate(at, "name", container.name);
    if (container.name) names.add(container.name);
    // Each may use any host port, since they run one after another; upstream reports the path without the index.
    validateHostPorts(report, path, [container]);
    if (isSidecar(container)) validateHooksAndProbes(container, at, scope);
    else validateRunsToEnd(container, at, scope);
  });
}

const hooks = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;

/** An init container that is not a sidecar has no probes and no lifecycle hooks. */
function validateRunsToEnd(
  container: Container,
  path: FieldPath,
  { report, options }: ValidationScope,
): void {
  for (const field of hooks) {
    if (container[field] === undefined) continue;
    report.forbidden(
      path,
      field,
      "may not be set for init containers without restartPolicy=Always",
    );
  }
  if (options.allowRestartOnResizeOfInitContainers) return;
  container.resizePolicy?.forEach(({ restartPolicy }, index) => {
    if (restartPolicy !== "RestartContainer") return;
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    const at = path.child("resizePolicy").index(index);
    report.invalid(at, "restartPolicy", restartPolicy, detail);
  });
}

/** Fields that ephemeral containers may not have, with Go's spelling, in Go's order. */
const notEphemeral = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

/** Checks ephemeral containers. */
export function validateEphemeralContainers(
  ephemeral: readonly EphemeralContainer[] | undefined,
  path: FieldPath,
  others: readonly Container[],
  scope: ValidationScope,
): void {
  if (!ephemeral?.length) return;
  const { report } = scope;
  const otherNames = new Set(others.map(({ name }) => name));
  const names = new Set(otherNames);
  ephemeral.forEach((container, index) => {
    const at = path.index(index);
    validateContainer(container, at, scope);
    validateImageText(report, at, container);
    if (names.has(container.name)) report.duplicate(at, "name", container.name);
    names.add(container.name);
    const { targetContainerName: target } = container;
    if (target && !otherNames.has(target)) report.notFound(at, "targetContainerName", target);
    validateEphemeralFields(report, at, container);
  });
}

function validateEphemeralFields(
  report: FieldReport,
  path: FieldPath,
  container: EphemeralContainer,
): void {
  const detail = "cannot be set for an Ephemeral Container";
  for (const field of notEphemeral) {
    const value: unknown = container[field];
    const set = field === "resources" ? isNotEmpty(container.resources) : value !== undefined;
    if (set) report.forbidden(path, field, detail);
  }
  container.volumeMounts?.forEach(({ subPath, subPathExpr }, index) => {
    const at = path.child("volumeMounts").index(index);
    if (subPath) report.forbidden(at, "subPath", detail);
    if (subPathExpr) report.forbidden(at, "subPathExpr", detail);
  });
}

const isNotEmpty = (object: object | undefined): boolean =>
  object !== undefined && Object.values(object).some((value) => value !== undefined);

/** Checks that an image name has no leading or trailing spaces. */
export function validateImageText(
  report: FieldReport,
  path: FieldPath,
  { image = "" }: { image?: string },
): void {
  if (image.trim().length === image.length) return;
  report.invalid(path, "image", image, "must not have leading or trailing whitespace");
}

const messagePolicies = ["File", "FallbackToLogsOnError"];

/** Checks the rules for containers of all kinds. */
function validateContainer(container: Container, path: FieldPath, scope: ValidationScope): void {
  const { report } = scope;
  const { name, image, terminationMessagePolicy: policy } = container;
  if (!name) report.required(path, "name");
  else report.problems(path, "name", name, isDNS1123Label(name));
  if (!image) report.required(path, "image");
  if (!policy) report.required(path, "terminationMessagePolicy");
  else if (!messagePolicies.includes(policy)) {
    report.notSupported(path, "terminationMessagePolicy", policy, messagePolicies);
  }
  if (container.ports) validatePorts(report, path.child("ports"), container.ports);
  if (container.env) validateEnv(container.env, path.child("env"), scope);
  if (container.envFrom) validateEnvFrom(container.envFrom, path.child("envFrom"), report);
  validateMounts(container, path.child("volumeMounts"), scope);
  validateDevices(container, path.child("volumeDevices"), scope);
  validatePullPolicy(report, path, "imagePullPolicy", container.imagePullPolicy);
  validateContainerResources(container.resources, path.child("resources"), scope);
  if (container.resizePolicy) {
    validateResizePolicy(container.resizePolicy, path.child("resizePolicy"), scope);
  }
  validateSecurityContext(container.securityContext, path.child("securityContext"), scope);
}

const protocols = ["SCTP", "TCP", "UDP"];

function validatePorts(
  report: FieldReport,
  path: FieldPath,
  ports: readonly ContainerPort[],
): void {
  const names = new Set<string>();
  ports.forEach(({ name, containerPort, hostPort, protocol }, index) => {
    const at = path.index(index);
    if (name) {
      const problems = isPortName(name);
      report.problems(at, "name", name, problems);
      if (names.has(name)) report.duplicate(at, "name", name);
      else if (problems.length === 0) names.add(name);
    }
    if (!containerPort) report.required(at, "containerPort");
    else report.problems(at, "containerPort", containerPort, isPortNumber(containerPort));
    if (hostPort) report.problems(at, "hostPort", hostPort, isPortNumber(hostPort));
    if (!protocol) report.required(at, "protocol");
    else if (!protocols.includes(protocol)) {
      report.notSupported(at, "protocol", protocol, protocols);
    }
  });
}

/** Checks that each host port is used by one container. */
function validateHostPorts(
  report: FieldReport,
  path: FieldPath,
  containers: readonly Container[],
): void {
  const taken = new Set<string>();
  containers.forEach(({ ports = [] }, index) => {
    ports.forEach(({ hostPort, protocol = "", hostIP = "" }, position) => {
      if (!hostPort) return;
      const port = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(port)) {
        const at = path.index(index).child("ports").index(position);
        report.duplicate(at, "hostPort", port);
      }
      taken.add(port);
    });
  });
}
