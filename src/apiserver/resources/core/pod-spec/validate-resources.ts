import type { PodSpec, ResourceClaim, ResourceRequirements } from "#/api/core/v1.ts";
import { JsonValue, notFound } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1123Label, negativeMessage } from "#/machinery/meta/names.ts";
import {
  containerLimits,
  containerRequests,
  isPodLevelResource,
} from "#/machinery/pods/pod-resources.ts";
import { isQuantity, parseQuantity, type Quantity } from "#/machinery/values/quantity.ts";
import { lazily } from "#/std/base/lazily.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import {
  isExtendedResource,
  isHugePages,
  isIntegerResource,
  isNativeResource,
  isOvercommitAllowed,
  isStandardContainerResource,
  resourceNameProblems,
} from "../../rules/resource-names.ts";
import type { PodValidationOptions } from "./base/pod-gates.ts";
import type { ValidationScope } from "./base/validation-scope.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

type NameRule = (report: FieldReport, path: FieldPath, name: string) => void;

/** Checks the resources of a container. */
export function validateContainerResources(
  resources: ResourceRequirements | undefined,
  path: FieldPath,
  scope: ValidationScope,
): void {
  if (resources !== undefined) validateRequirements(resources, path, scope, containerResourceName);
}

/** Checks the overhead of a Pod: a list of limits for its sandbox. */
export function validateOverhead(
  overhead: Readonly<Record<string, string>>,
  path: FieldPath,
  scope: ValidationScope,
): void {
  validateRequirements({ limits: overhead }, path, scope, containerResourceName);
}

/** Checks the Pod-level resources, and that the containers fit into them. */
export function validatePodLevelResources(
  spec: PodSpec,
  path: FieldPath,
  scope: ValidationScope,
): void {
  const { resources } = spec;
  if (resources === undefined) return;
  const at = path.child("resources");
  if (spec.os?.name === "windows") {
    scope.report.forbidden(at, "", "may not be set for a windows pod");
    return;
  }
  if (resources.claims !== undefined) {
    scope.report.forbidden(at, "claims", "claims may not be set for Resources at pod-level");
  }
  validateRequirements(resources, at, scope, podResourceName);
  validateContainersFit(spec, resources, at, scope.report);
}

function validateRequirements(
  { limits = {}, requests = {}, claims }: ResourceRequirements,
  path: FieldPath,
  { report, options, claimNames }: ValidationScope,
  nameRule: NameRule,
): void {
  let hasHugePages = false;
  let hasCompute = false;
  const note = (name: string): void => {
    hasHugePages ||= isHugePages(name);
    hasCompute ||= name === "cpu" || name === "memory";
  };
  for (const name in limits) {
    note(name);
    const at = path.child("limits").key(name);
    validateAmount(report, at, { name, amount: limits[name] ?? "0", nameRule, options });
  }
  for (const name in requests) {
    note(name);
    const amount = requests[name] ?? "0";
    const at = path.child("requests").key(name);
    nameRule(report, at, name);
    validateResourceQuantity(report, at, name, amount);
    validateWithinLimit(report, path, { name, amount, limit: limits[name] });
    validatePages(report, at, { name, amount, options });
  }
  if (hasHugePages && !hasCompute) {
    report.forbidden(path, "", "HugePages require cpu or memory");
  }
  if (claims !== undefined) validateClaims(report, path.child("claims"), claims, claimNames);
}

interface Amount {
  readonly name: string;
  readonly amount: string;
  readonly options: PodValidationOptions;
}

function validateAmount(
  report: FieldReport,
  path: FieldPath,
  { nameRule, ...amount }: Amount & { nameRule: NameRule },
): void {
  nameRule(report, path, amount.name);
  validateResourceQuantity(report, path, amount.name, amount.amount);
  validatePages(report, path, amount);
}

/** Checks an amount of a resource: not negative, and whole if the resource has whole units. */
function validateResourceQuantity(
  report: FieldReport,
  path: FieldPath,
  name: string,
  amount: string,
): void {
  if (amount.startsWith("-") && parseQuantity(amount).sign < 0) {
    report.invalid(path, "", amount, negativeMessage);
  }
  if (isIntegerResource(name) && parseQuantity(amount).scaledValue(-3) % 1000n !== 0n) {
    report.invalid(path, "", new JsonValue(amount), "must be an integer");
  }
}

function validatePages(
  report: FieldReport,
  path: FieldPath,
  { name, amount, options }: Amount,
): void {
  if (!isHugePages(name) || options.allowIndivisibleHugePages) return;
  if (isPageMultiple(name, amount)) return;
  report.invalid(path, "", amount, `${amount} is not positive integer multiple of ${name}`);
}

/** Whether an amount is a multiple of the huge page size in the resource's name. */
export function isPageMultiple(name: string, amount: string): boolean {
  const size = name.slice("hugepages-".length);
  if (!isQuantity(size)) return false;
  const page = parseQuantity(size);
  if (page.sign <= 0 || page.scaledValue(-3) % 1000n !== 0n) return false;
  return parseQuantity(amount).scaledValue(0) % page.scaledValue(0) === 0n;
}

function validateWithinLimit(
  report: FieldReport,
  path: FieldPath,
  { name, amount, limit }: { name: string; amount: string; limit: string | undefined },
): void {
  const overcommit = isOvercommitAllowed(name);
  if (limit === undefined) {
    if (overcommit) return;
    report.required(path, "limits", "Limit must be set for non overcommitable resources");
    return;
  }
  if (amount === limit) return;
  const order = parseQuantity(amount).compare(parseQuantity(limit));
  if (order !== 0 && !overcommit) {
    report.invalid(path, "requests", amount, `must be equal to ${name} limit of ${limit}`);
  } else if (order > 0) {
    const detail = `must be less than or equal to ${name} limit of ${limit}`;
    report.invalid(path, "requests", amount, detail);
  }
}

function containerResourceName(report: FieldReport, path: FieldPath, name: string): void {
  report.problems(path, "", new JsonValue(name), resourceNameProblems(name));
  if (!name.includes("/")) {
    if (isStandardContainerResource(name)) return;
    report.invalid(path, "", new JsonValue(name), "must be a standard resource for containers");
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    const detail = "doesn't follow extended resource name standard";
    report.invalid(path, "", new JsonValue(name), detail);
  }
}

function podResourceName(report: FieldReport, path: FieldPath, name: string): void {
  const problems = resourceNameProblems(name);
  report.problems(path, "", new JsonValue(name), problems);
  if (problems.length > 0 || isPodLevelResource(name)) return;
  report.notSupported(path, "", name, ["cpu", "hugepages-", "memory"]);
}

function validateClaims(
  report: FieldReport,
  path: FieldPath,
  claims: readonly ResourceClaim[],
  claimNames: ReadonlySet<string>,
): void {
  const seen: SeenClaims = { keys: new Set(), requestsByName: new Map() };
  const known = lazily(() => knownClaims(claimNames));
  claims.forEach(({ name, request = "" }, index) => {
    const at = path.index(index);
    if (!name) {
      report.required(at, "");
      return;
    }
    if (seen.keys.has(name)) report.duplicate(at, "", name);
    else validateClaimRequest(report, at, { name, request }, seen);
    if (!claimNames.has(name)) report.add([{ ...notFound(at, name), detail: known() }]);
  });
}

/** The claims of a container so far. */
interface SeenClaims {
  /** "name" or "name/request". */
  readonly keys: Set<string>;
  /** The number of requests of each claim. */
  readonly requestsByName: Map<string, number>;
}

/** Checks one claim against those before it, and adds it to them. */
function validateClaimRequest(
  report: FieldReport,
  path: FieldPath,
  { name, request }: Required<ResourceClaim>,
  { keys, requestsByName }: SeenClaims,
): void {
  const requests = requestsByName.get(name) ?? 0;
  if (request === "") {
    for (let left = requests; left > 0; left--) report.duplicate(path, "", name);
    keys.add(name);
    return;
  }
  report.problems(path, "request", request, isDNS1123Label(request));
  const key = `${name}/${request}`;
  if (keys.has(key)) report.duplicate(path, "", key);
  else requestsByName.set(name, requests + 1);
  keys.add(key);
}

function knownClaims(names: ReadonlySet<string>): string {
  const known = names.size === 0 ? " which is empty" : `: ${[...names].sort().join(", ")}`;
  return `must be one of the names in pod.spec.resourceClaims${known}`;
}

function validateContainersFit(
  spec: PodSpec,
  { requests = {}, limits = {} }: ResourceRequirements,
  path: FieldPath,
  report: FieldReport,
): void {
  const over = (
    total: ReadonlyMap<string, Quantity>,
    which: "requests" | "limits",
    list: Readonly<Record<string, string>>,
  ): void => {
    for (const [name, sum] of total) {
      const bound = list[name];
      if (bound === undefined || (which === "limits" && !isHugePages(name))) continue;
      if (sum.compare(parseQuantity(bound)) <= 0) continue;
      const detail = `must be greater than or equal to aggregate container ${which} of ${sum}`;
      report.invalid(path.child(which).key(name), "", bound, detail);
    }
  };
  over(containerRequests({ spec }), "requests", requests);
  over(containerLimits({ spec }), "limits", limits);
  spec.containers.forEach(({ resources }, index) => {
    for (const name in resources?.limits) {
      const [limit, bound] = [resources.limits[name] ?? "0", limits[name]];
      if (bound === undefined || parseQuantity(limit).compare(parseQuantity(bound)) <= 0) continue;
      const at = path.child("containers").index(index).key(name);
      report.invalid(at, "limits", limit, `must be less than or equal to pod limits of ${bound}`);
    }
  });
}
