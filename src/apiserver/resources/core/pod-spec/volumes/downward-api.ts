import type { ObjectFieldSelector, ResourceFieldSelector } from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isQualifiedName } from "#/machinery/meta/names.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import type { FieldReport } from "../../../rules/field-report.ts";

/**
 * References to fields of a container's own Pod.
 *
 * Upstream: pkg/apis/core/validation/validation.go, pkg/apis/core/pods/helpers.go, pkg/fieldpath/fieldpath.go.
 */

/** Fields of a Pod that references know; each user of references allows some of them. */
const knownFields: ReadonlySet<string> = new Set([
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.serviceAccountName",
  "spec.schedulerName",
  "status.phase",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
]);

const subscriptable: ReadonlySet<string> = new Set(["metadata.annotations", "metadata.labels"]);

/** Checks a reference to a field of the Pod against the allowed ones, which messages list in this order. */
export function validateFieldSelector(
  report: FieldReport,
  path: FieldPath,
  { apiVersion, fieldPath }: ObjectFieldSelector,
  allowed: readonly string[],
): void {
  if (!apiVersion) {
    report.required(path, "apiVersion");
    return;
  }
  if (!fieldPath) {
    report.required(path, "fieldPath");
    return;
  }
  const [field, subscript] = splitSubscript(fieldPath);
  const problem = conversionProblem(apiVersion, fieldPath, field, subscript);
  if (problem !== undefined) {
    report.invalid(path, "fieldPath", fieldPath, `error converting fieldPath: ${problem}`);
  } else if (subscript !== undefined) {
    const key = field === "metadata.annotations" ? subscript.toLowerCase() : subscript;
    report.problems(path, "", key, isQualifiedName(key));
  } else {
    const current = field === "spec.host" ? "spec.nodeName" : field;
    if (!allowed.includes(current)) report.notSupportedText(path, "fieldPath", current, allowed);
  }
}

/** Splits `metadata.labels['app']` into a field and a subscript. */
function splitSubscript(fieldPath: string): readonly [string, string?] {
  const start = fieldPath.indexOf("['");
  if (start <= 0 || !fieldPath.endsWith("']") || start + 2 > fieldPath.length - 2) {
    return [fieldPath];
  }
  return [fieldPath.slice(0, start), fieldPath.slice(start + 2, -2)];
}

function conversionProblem(
  apiVersion: string,
  fieldPath: string,
  field: string,
  subscript: string | undefined,
): string | undefined {
  if (apiVersion !== "v1") return `unsupported pod version: ${apiVersion}`;
  if (subscript !== undefined) {
    if (subscriptable.has(field)) return undefined;
    return `field label does not support subscript: ${fieldPath}`;
  }
  if (knownFields.has(field) || field === "spec.host") return undefined;
  return `field label not supported: ${fieldPath}`;
}

/** Resources of a container that references know, in the order of messages. */
const resourceFields: readonly string[] = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

const isHugePagesField = (resource: string): boolean =>
  resource.startsWith("limits.hugepages-") || resource.startsWith("requests.hugepages-");

/** Checks a reference to a container's limit or request. */
export function validateResourceSelector(
  report: FieldReport,
  path: FieldPath,
  { containerName, resource, divisor }: ResourceFieldSelector,
  { inVolume }: { readonly inVolume: boolean },
): void {
  if (inVolume && !containerName) report.required(path, "containerName");
  else if (!resource) report.required(path, "resource");
  else if (!resourceFields.includes(resource) && !isHugePagesField(resource)) {
    report.notSupportedText(path, "resource", resource, resourceFields);
  }
  if (divisor !== undefined && divisor !== "0") validateDivisor(report, path, resource, divisor);
}

const byteUnits = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";
const byteDivisors: ReadonlySet<string> = new Set(byteUnits.split(", "));
const cpuDivisors: ReadonlySet<string> = new Set(["1m", "1"]);

function validateDivisor(
  report: FieldReport,
  path: FieldPath,
  resource: string,
  divisor: string,
): void {
  const unit = parseQuantity(divisor);
  if (unit.isZero) return;
  const [, name = ""] = resource.split(".", 2);
  const wrong = (units: ReadonlySet<string>, text: string, of: string): void => {
    if (units.has(unit.toString())) return;
    const detail = `only divisor's values ${text} are supported with the ${of} resource`;
    report.invalid(path, "divisor", resource, detail);
  };
  if (isHugePagesField(resource)) wrong(byteDivisors, byteUnits, "hugepages");
  else if (!resourceFields.includes(resource)) return;
  else if (name === "cpu") wrong(cpuDivisors, "1m and 1", "cpu");
  else if (name === "memory") wrong(byteDivisors, byteUnits, "memory");
  else wrong(byteDivisors, byteUnits, "local ephemeral storage");
}
