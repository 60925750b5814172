import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1123Label, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { isConfigMapKey, isRelaxedEnvVarName } from "#/machinery/meta/text-rules.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import type { ValidationScope } from "./base/validation-scope.ts";
import { validateFieldSelector, validateResourceSelector } from "./volumes/downward-api.ts";
import { validateNoBacksteps } from "./volumes/local-path.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

/** Fields of a Pod that a variable may refer to, in the order of messages. */
const envFields: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

/** Checks the variables of a container. */
export function validateEnv(
  vars: readonly EnvVar[] | undefined,
  path: FieldPath,
  scope: ValidationScope,
): void {
  vars?.forEach((variable, index) => {
    const at = path.index(index);
    const { name, value = "", valueFrom } = variable;
    if (!name) scope.report.required(at, "name");
    else scope.report.problems(at, "name", name, isRelaxedEnvVarName(name));
    if (valueFrom !== undefined) validateSource(valueFrom, value, at.child("valueFrom"), scope);
  });
}

function validateSource(
  source: EnvVarSource,
  value: string,
  path: FieldPath,
  { report, options }: ValidationScope,
): void {
  const sources = validateEachSource(source, path, report);
  if (sources === 0) {
    const list = options.allowEnvFiles
      ? "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
      : "`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
    report.invalid(path, "", "", `must specify one of: ${list}`);
  } else if (value !== "") {
    report.invalid(path, "", "", "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    report.invalid(path, "", "", "may not have more than one field specified at a time");
  }
}

/** Checks each source that is set, and returns their number. */
function validateEachSource(source: EnvVarSource, path: FieldPath, report: FieldReport): number {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  let count = 0;
  const check = <T>(value: T | undefined, validate: (value: T) => void): void => {
    if (value === undefined) return;
    count++;
    validate(value);
  };
  check<ObjectFieldSelector>(fieldRef, (one) => {
    validateFieldSelector(report, path.child("fieldRef"), one, envFields);
  });
  check<ResourceFieldSelector>(resourceFieldRef, (one) => {
    validateResourceSelector(report, path.child("resourceFieldRef"), one, { inVolume: false });
  });
  check<ConfigMapKeySelector>(configMapKeyRef, (one) => {
    validateKeySelector(report, path.child("configMapKeyRef"), one);
  });
  check<ConfigMapKeySelector>(secretKeyRef, (one) => {
    validateKeySelector(report, path.child("secretKeyRef"), one);
  });
  check<FileKeySelector>(fileKeyRef, (one) => {
    validateFileKeySelector(report, path.child("fileKeyRef"), one);
  });
  return count;
}

function validateKeySelector(
  report: FieldReport,
  path: FieldPath,
  { name = "", key }: ConfigMapKeySelector,
): void {
  report.problems(path, "name", name, nameIsDNSSubdomain(name, false));
  if (!key) report.required(path, "key");
  else report.problems(path, "key", key, isConfigMapKey(key));
}

function validateFileKeySelector(
  report: FieldReport,
  path: FieldPath,
  { key, volumeName, path: file }: FileKeySelector,
): void {
  if (!key) report.required(path, "key");
  else report.problems(path, "key", key, isRelaxedEnvVarName(key));
  if (!volumeName) report.required(path, "volumeName");
  else report.problems(path, "volumeName", volumeName, isDNS1123Label(volumeName));
  if (!file) report.required(path, "path");
  else validateNoBacksteps(report, path, "path", file);
}

/** Checks the objects whose entries become variables (envFrom). */
export function validateEnvFrom(
  sources: readonly EnvFromSource[] | undefined,
  path: FieldPath,
  report: FieldReport,
): void {
  sources?.forEach(({ prefix, configMapRef, secretRef }, index) => {
    const at = path.index(index);
    if (prefix) report.problems(at, "prefix", prefix, isRelaxedEnvVarName(prefix));
    if (configMapRef) validateObjectName(report, at.child("configMapRef"), configMapRef.name);
    if (secretRef) validateObjectName(report, at.child("secretRef"), secretRef.name);
    if (!configMapRef && !secretRef) {
      report.invalid(path, "", "", "must specify one of: `configMapRef` or `secretRef`");
    } else if (configMapRef && secretRef) {
      report.invalid(path, "", "", "may not have more than one field specified at a time");
    }
  });
}

function validateObjectName(report: FieldReport, path: FieldPath, name = ""): void {
  if (name === "") report.required(path, "name");
  else report.problems(path, "name", name, nameIsDNSSubdomain(name, true));
}
