import type { PodSpec, ResourceList } from "#/api/core/v1.ts";
import {
  containerLimits,
  containerRequests,
  isPodLevelResource,
} from "#/machinery/pods/pod-resources.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import type { ResourceList as Amounts } from "#/machinery/values/resource-list.ts";
import { isHugePages, isOvercommitAllowed } from "../../rules/resource-names.ts";
import type { PodGates } from "../pod-spec/base/pod-gates.ts";
import { allContainers } from "../pod-spec/base/visit-containers.ts";

/**
 * Completes the Pod-level resources from those of the containers, once all containers are known: admission may have
 * added some. The old resources may be shared, so they are copied and not changed.
 *
 * Upstream: pkg/api/pod/util.go (DefaultPodLevelResources).
 */
export function setPodLevelDefaults(spec: PodSpec, gates: Pick<PodGates, "enabled">): void {
  const { resources } = spec;
  if (resources === undefined || !gates.enabled("PodLevelResources")) return;
  if (!gates.enabled("PodLevelResourcesFixDefaulting")) return;
  const [requests, limits] = [{ ...resources.requests }, { ...resources.limits }];
  if (Object.keys(requests).length === 0 && Object.keys(limits).length === 0) return;
  const ofContainers = { requests: containerRequests({ spec }), limits: containerLimits({ spec }) };
  limitHugePages(limits, requests, ofContainers.limits);
  requestResources(requests, limits, ofContainers.requests);
  limitRequested(spec, { requests, limits }, ofContainers.limits);
  spec.resources = {
    ...resources,
    ...(Object.keys(requests).length > 0 ? { requests } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  };
}

function limitHugePages(limits: ResourceList, requests: ResourceList, total: Amounts): void {
  for (const [name, amount] of total) {
    if (isHugePages(name) && requests[name] === undefined) limits[name] ??= amount.toString();
  }
}

/** Sets missing requests to the sum of the containers' requests, or else to the Pod's limit. */
function requestResources(requests: ResourceList, limits: ResourceList, total: Amounts): void {
  for (const [name, amount] of total) {
    if (!isPodLevelResource(name) || !isOvercommitAllowed(name)) continue;
    requests[name] ??= amount.toString();
  }
  for (const name in limits) {
    if (isPodLevelResource(name)) requests[name] ??= limits[name] ?? "0";
  }
}

/** Sets the limit of a resource that every container limits, at least to the request. */
function limitRequested(
  spec: PodSpec,
  { requests, limits }: { requests: ResourceList; limits: ResourceList },
  total: Amounts,
): void {
  for (const name in requests) {
    if (!isPodLevelResource(name) || limits[name] !== undefined) continue;
    const limit = total.get(name);
    const limited = allContainers(spec).every(({ resources }) => resources?.limits?.[name]);
    if (limit === undefined || !limited) continue;
    const request = parseQuantity(requests[name] ?? "0");
    limits[name] = (request.compare(limit) > 0 ? request : limit).toString();
  }
}
