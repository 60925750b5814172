import type {
  Container,
  ContainerStatus,
  PodExtendedResourceClaimStatus,
  PodSpec,
  PodStatus,
  ResourceStatus,
} from "#/api/core/v1.ts";
import { JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isLongerThan } from "#/machinery/meta/names.ts";
import { isGroupID } from "#/machinery/meta/text-rules.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { firstByKey } from "#/std/base/by-key.ts";
import type { FieldReport } from "../../rules/field-report.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

const kinds = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;

/** Checks the users in container statuses, then the health of their devices. */
export function validateContainerStatuses(
  report: FieldReport,
  path: FieldPath,
  status: PodStatus,
  spec: PodSpec,
): void {
  for (const kind of kinds) {
    status[kind]?.forEach((one, index) => {
      if (one.user?.linux) validateUser(report, path.child(kind).index(index), one, spec);
    });
  }
  const health = (kind: "containerStatuses" | "initContainerStatuses", list: Container[] = []) => {
    const byName = firstByKey(list, ({ name }) => name);
    status[kind]?.forEach((one, index) => {
      const container = byName.get(one.name);
      const at = path.child(kind).index(index).child("allocatedResourcesStatus");
      one.allocatedResourcesStatus?.forEach((resource, position) => {
        validateResourceName(report, at.index(position), { resource, container, status });
        validateHealths(report, at.index(position).child("resources"), resource);
      });
    });
  };
  health("containerStatuses", spec.containers);
  health("initContainerStatuses", spec.initContainers);
  status.ephemeralContainerStatuses?.forEach(({ allocatedResourcesStatus = [] }, index) => {
    if (allocatedResourcesStatus.length === 0) return;
    const at = path.child("ephemeralContainerStatuses").index(index);
    const detail = "must not be specified in container status";
    report.forbidden(at, "allocatedResourcesStatus", detail);
  });
}

const maxUint32 = 2 ** 32 - 1;

function validateUser(
  report: FieldReport,
  path: FieldPath,
  { user }: ContainerStatus,
  { os }: PodSpec,
): void {
  const linux = user?.linux;
  if (linux === undefined) return;
  const at = path.child("user").child("linux");
  if (os?.name === "windows") {
    report.forbidden(at, "", "cannot be set for a windows pod");
    return;
  }
  const { uid, gid, supplementalGroups = [] } = linux;
  if (uid < 0 || uid > maxUint32) {
    report.invalid(at, "uid", uid, `must be between 0 and ${maxUint32}, inclusive`);
  }
  report.problems(at, "gid", gid, isGroupID(gid));
  supplementalGroups.forEach((group, index) => {
    report.problems(at.child("supplementalGroups").index(index), "", group, isGroupID(group));
  });
}

interface DeviceStatus {
  readonly resource: ResourceStatus;
  readonly container: Container | undefined;
  readonly status: PodStatus;
}

function validateResourceName(
  report: FieldReport,
  path: FieldPath,
  { resource: { name }, container, status }: DeviceStatus,
): void {
  if (container === undefined) return;
  if (!name.startsWith("claim:")) {
    if (container.resources?.requests?.[name] !== undefined) return;
    const detail = "must match one of the container's resource requests";
    report.invalid(path, "name", new JsonValue(name), detail);
    return;
  }
  const claims = container.resources?.claims ?? [];
  const named = claims.some(
    (claim) => name === `claim:${claim.name}${claim.request ? `/${claim.request}` : ""}`,
  );
  if (named || isExtended(name, container, status.extendedResourceClaimStatus)) return;
  const detail =
    "must match one of the container's resource claims as 'claim:<claimName>/<requestName>' when container.resources.claims[*].request is set or 'claim:<claimName>' when it is empty";
  report.invalid(path, "name", new JsonValue(name), detail);
}

/** Whether a name is that of a claim for an extended resource of the container. */
function isExtended(
  name: string,
  container: Container,
  extended: PodExtendedResourceClaimStatus | undefined,
): boolean {
  const [, claim, request] = /^claim:([^/]+)\/(.+)$/s.exec(name) ?? [];
  if (extended === undefined || claim !== extended.resourceClaimName) return false;
  return extended.requestMappings.some(({ containerName, requestName, resourceName }) => {
    if (containerName !== container.name || requestName !== request) return false;
    const amount = container.resources?.requests?.[resourceName];
    return amount !== undefined && !parseQuantity(amount).isZero;
  });
}

const healthValues = ["Healthy", "Unhealthy", "Unknown"];
const maxMessageBytes = 1024;

function validateHealths(
  report: FieldReport,
  path: FieldPath,
  { resources = [] }: ResourceStatus,
): void {
  const ids = new Set<string>();
  resources.forEach(({ resourceID, health = "", message }, index) => {
    const at = path.index(index);
    if (!healthValues.includes(health)) report.notSupported(at, "health", health, healthValues);
    if (message === "") report.required(at, "message", "must be non-empty if specified");
    else if (isLongerThan(message ?? "", maxMessageBytes)) {
      report.tooLong(at, "message", maxMessageBytes);
    }
    if (ids.has(resourceID)) report.duplicate(at, "resourceID", new JsonValue(resourceID));
    ids.add(resourceID);
  });
}
