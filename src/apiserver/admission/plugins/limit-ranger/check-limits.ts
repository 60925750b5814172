import type { LimitRangeItem, PersistentVolumeClaim, Pod } from "#/api/core/v1.ts";
import { podLimits, podRequests } from "#/machinery/pods/pod-resources.ts";
import { parseQuantity, type Quantity, zeroQuantity } from "#/machinery/values/quantity.ts";
import { parseResourceList, type ResourceList } from "#/machinery/values/resource-list.ts";

/** Resources that a container or pod requests. */
interface Wanted {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

/** Limit of integers that are compared in thousandths: larger ones would overflow 64 bits. */
const maxMilliValue = Number((2n ** 63n - 1n) / 1000n);

/** Messages for containers and pods outside the limits. */
export function checkPod(
  pod: Pod,
  limits: readonly LimitRangeItem[],
  podLevelResources: boolean,
): string[] {
  const { containers, initContainers = [] } = pod.spec;
  return limits.flatMap((limit) => {
    if (limit.type === "Container") {
      return [...containers, ...initContainers].flatMap(({ resources }) =>
        checkItem(limit, {
          requests: parseResourceList(resources?.requests),
          limits: parseResourceList(resources?.limits),
        }),
      );
    }
    if (limit.type !== "Pod") return [];
    const options = { excludeOverhead: true, skipPodLevel: !podLevelResources };
    const wanted = { requests: podRequests(pod, options), limits: podLimits(pod, options) };
    return checkItem(limit, wanted);
  });
}

/** Messages for a claim outside the limits. */
export function checkClaim(
  { spec }: PersistentVolumeClaim,
  limits: readonly LimitRangeItem[],
): string[] {
  const requests = parseResourceList(spec?.resources?.requests);
  return limits.flatMap((limit) => {
    if (limit.type !== "PersistentVolumeClaim") return [];
    return [
      ...each(limit.min, (name, bound) =>
        checkMinimum(limit.type, name, bound, { requests, limits: new Map() }),
      ),
      ...each(limit.max, (name, bound) => checkMaximumRequest(limit.type, name, bound, requests)),
    ];
  });
}

function checkItem(limit: LimitRangeItem, wanted: Wanted): string[] {
  const { type } = limit;
  return [
    ...each(limit.min, (name, bound) => checkMinimum(type, name, bound, wanted)),
    ...each(limit.max, (name, bound) => checkMaximum(type, name, bound, wanted)),
    ...each(limit.maxLimitRequestRatio, (name, bound) => checkRatio(type, name, bound, wanted)),
  ];
}

function each(
  bounds: Readonly<Record<string, string | number>> | undefined,
  check: (name: string, bound: Quantity) => string | undefined,
): string[] {
  return Object.entries(bounds ?? {}).flatMap(([name, text]) => {
    const message = check(name, parseQuantity(String(text)));
    return message === undefined ? [] : [message];
  });
}

function checkMinimum(
  type: string,
  name: string,
  bound: Quantity,
  { requests, limits }: Wanted,
): string | undefined {
  const request = requests.get(name);
  const limit = limits.get(name);
  const rule = `minimum ${name} usage per ${type} is ${bound}`;
  if (!request) return `${rule}.  No request is specified`;
  const [asked, most, least] = comparable(request, limit, bound);
  if (asked < least) return `${rule}, but request is ${request}`;
  return limit && most < least ? `${rule}, but limit is ${limit}` : undefined;
}

function checkMaximum(
  type: string,
  name: string,
  bound: Quantity,
  { requests, limits }: Wanted,
): string | undefined {
  const request = requests.get(name);
  const limit = limits.get(name);
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  if (!limit) return `${rule}.  No limit is specified`;
  const [asked, most, greatest] = comparable(request, limit, bound);
  if (most > greatest) return `${rule}, but limit is ${limit}`;
  return request && asked > greatest ? `${rule}, but request is ${request}` : undefined;
}

function checkMaximumRequest(
  type: string,
  name: string,
  bound: Quantity,
  requests: ResourceList,
): string | undefined {
  const request = requests.get(name);
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  if (!request) return `${rule}.  No request is specified`;
  const [asked, , greatest] = comparable(request, undefined, bound);
  return asked > greatest ? `${rule}, but request is ${request}` : undefined;
}

function checkRatio(
  type: string,
  name: string,
  bound: Quantity,
  { requests, limits }: Wanted,
): string | undefined {
  const rule = `${name} max limit to request ratio per ${type} is ${bound}`;
  const [asked, most] = comparable(requests.get(name), limits.get(name), bound);
  if (asked === 0) return `${rule}, but no request is specified or request is 0`;
  if (most === 0) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = most / asked;
  const fine = bound.value() <= maxMilliValue;
  if ((fine ? ratio * 1000 : ratio) <= (fine ? bound.milliValue() : bound.value()))
    return undefined;
  return `${rule}, but provided ratio is ${ratio.toFixed(6)}`;
}

/** The three as numbers of one unit: thousandths unless one of them is too large. */
function comparable(
  request: Quantity = zeroQuantity,
  limit: Quantity = zeroQuantity,
  bound: Quantity,
): readonly [number, number, number] {
  const all = [request, limit, bound] as const;
  const fine = all.every((quantity) => quantity.value() <= maxMilliValue);
  const of = (quantity: Quantity) => (fine ? quantity.milliValue() : quantity.value());
  return [of(request), of(limit), of(bound)];
}
