import type {
  NodeAllocatableResourceClaimStatus,
  PodSpec,
  PodStatus,
  PodVolumeHealth,
  VolumeHealthCondition,
} from "#/api/core/v1.ts";
import { findReasonProblem } from "#/machinery/meta/conditions.ts";
import { JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1123Label, isLongerThan, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { isPodLevelResource } from "#/machinery/pods/pod-resources.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { lastByKey } from "#/std/base/by-key.ts";
import type { FieldReport } from "../../rules/field-report.ts";

/**
 * Validation of claimed devices and of volumes in a Pod's status.
 *
 * Upstream: pkg/apis/core/validation/validation.go, pkg/apis/core/v1/zz_generated.validations.go.
 */

/** Checks the claim for extended resources. */
export function validateExtendedClaim(
  report: FieldReport,
  path: FieldPath,
  { extendedResourceClaimStatus: claim }: PodStatus,
  { initContainers = [], containers }: PodSpec,
): void {
  if (claim === undefined) return;
  const { requestMappings = [], resourceClaimName } = claim;
  const mappings = path.child("requestMappings");
  if (requestMappings.length === 0) {
    report.required(mappings, "", "at least one request mapping is required");
  }
  const byName = lastByKey([...initContainers, ...containers], ({ name }) => name);
  const seen = new Set<string>();
  requestMappings.forEach(({ containerName, resourceName, requestName }, index) => {
    const at = mappings.index(index);
    const container = byName.get(containerName);
    if (container === undefined) {
      const detail =
        "must match the name of an entry in spec.initContainers.name or spec.containers.name";
      report.invalid(at, "containerName", containerName, detail);
    } else if (container.resources?.requests?.[resourceName] === undefined) {
      const detail =
        "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests";
      report.invalid(at, "resourceName", resourceName, detail);
    }
    report.problems(path, "requestName", requestName, isDNS1123Label(requestName));
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key)) {
      report.duplicate(at, "containerName", containerName);
      report.duplicate(at, "resourceName", resourceName);
      report.duplicate(at, "requestName", requestName);
    }
    seen.add(key);
  });
  if (!resourceClaimName) report.required(path, "resourceClaimName");
  else {
    const problems = nameIsDNSSubdomain(resourceClaimName, false);
    report.problems(path, "resourceClaimName", resourceClaimName, problems);
  }
}

/** Checks the node resources that claims consume. */
export function validateClaimAmounts(
  report: FieldReport,
  path: FieldPath,
  status: PodStatus,
  { resourceClaims = [] }: PodSpec,
): void {
  const known = new Set(
    [...resourceClaims, ...(status.resourceClaimStatuses ?? [])].map(
      ({ resourceClaimName }) => resourceClaimName,
    ),
  );
  status.nodeAllocatableResourceClaimStatuses?.forEach((claim, index) => {
    const at = path.index(index);
    const { resourceClaimName: name } = claim;
    if (!name) {
      report.required(at, "resourceClaimName");
      return;
    }
    if (!known.has(name)) {
      report.invalid(at, "resourceClaimName", name, "no mapping found in pod reference");
    }
    validateAmounts(report, at, claim);
  });
}

function validateAmounts(
  report: FieldReport,
  path: FieldPath,
  { mapping = [], overhead = [] }: NodeAllocatableResourceClaimStatus,
): void {
  const checkName = (at: FieldPath, name: string): void => {
    if (isPodLevelResource(name)) return;
    report.invalid(at, "name", new JsonValue(name), "must be a node allocatable resource name");
  };
  const checkAmount = (at: FieldPath, field: string, amount: string | undefined): void => {
    if (amount === undefined || parseQuantity(amount).sign >= 0) return;
    report.invalid(at, field, amount, "must be non-negative");
  };
  mapping.forEach(({ name, quantity }, index) => {
    const at = path.child("mapping").index(index);
    checkName(at, name);
    checkAmount(at, "quantity", quantity);
  });
  overhead.forEach(({ name, perPod, perContainer }, index) => {
    const at = path.child("overhead").index(index);
    checkName(at, name);
    if (perPod === undefined && perContainer === undefined) {
      report.invalid(at, "", "", "at least one of perPod or perContainer must be set");
    }
    checkAmount(at, "perPod", perPod);
    checkAmount(at, "perContainer", perContainer);
  });
}

const healthStatuses = ["DataLoss", "Degraded", "Inaccessible"];
const maxConditions = 16;
const maxReasonBytes = 256;
const maxMessageBytes = 1024;

/** Checks the reported health of a Pod's volumes. */
export function validateVolumeHealth(
  report: FieldReport,
  path: FieldPath,
  volumes: readonly PodVolumeHealth[] | undefined,
  spec: PodSpec,
): void {
  const names = new Set(spec.volumes?.map((volume) => volume.name));
  volumes?.forEach(({ name, healthConditions = [] }, index) => {
    const at = path.index(index);
    if (!name) report.required(at, "name");
    else if (!names.has(name)) {
      report.notFound(at, "name", name);
    }
    if (healthConditions.length > maxConditions) {
      const actual = healthConditions.length;
      report.tooMany(at, "healthConditions", { actual, max: maxConditions });
    }
    healthConditions.forEach((condition, position) => {
      validateHealth(report, at.child("healthConditions").index(position), condition);
    });
  });
}

function validateHealth(
  report: FieldReport,
  path: FieldPath,
  { status, reason, message = "" }: VolumeHealthCondition,
): void {
  if (!status) report.required(path, "status");
  else if (!healthStatuses.includes(status)) {
    report.notSupported(path, "status", status, healthStatuses);
  }
  const problem = reason && findReasonProblem(reason);
  if (!reason) report.required(path, "reason");
  else if (problem) report.invalid(path, "reason", reason, problem);
  if (isLongerThan(reason ?? "", maxReasonBytes)) report.tooLong(path, "reason", maxReasonBytes);
  if (isLongerThan(message, maxMessageBytes)) report.tooLong(path, "message", maxMessageBytes);
}
