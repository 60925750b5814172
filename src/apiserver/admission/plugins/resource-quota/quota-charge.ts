import type { ResourceQuota, ScopedResourceSelectorRequirement } from "#/api/core/v1.ts";
import type { QuotaEvaluator, QuotaRequest } from "#/machinery/quota/quota-evaluator.ts";
import { scopesOf } from "#/machinery/quota/scopes.ts";
import { type Quantity, zeroQuantity } from "#/machinery/values/quantity.ts";
import {
  addResources,
  parseResourceList,
  type ResourceList,
} from "#/machinery/values/resource-list.ts";
import { append } from "#/std/base/append.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import type { LimitedResource } from "./limited-resources.ts";

/** A quota with its usage, including waiting requests charged so far. */
export interface OpenQuota {
  readonly quota: Decoded<ResourceQuota>;
  readonly hard: ResourceList;
  readonly used: ResourceList;
}

/** The reason of a refusal; plain if upstream's error has no status. */
export class QuotaRefusal extends Error {
  override readonly name = "QuotaRefusal";
  readonly plain: boolean;
  constructor(message: string, plain = false) {
    super(message);
    this.plain = plain;
  }
}

export interface Charge {
  readonly request: QuotaRequest;
  readonly evaluator: QuotaEvaluator;
  /** Resources that a quota must cover, of all that the configuration limits. */
  readonly limited: readonly LimitedResource[];
  /** The same, for the resource of the request only. */
  readonly limitedHere: readonly LimitedResource[];
}

/**
 * The usage of each quota after a request, in the quotas' order; undefined if it does not change.
 * Throws QuotaRefusal. Pure. Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go.
 */
export function chargeQuotas(
  quotas: readonly OpenQuota[],
  charge: Charge,
): readonly (ResourceList | undefined)[] {
  const { request, evaluator } = charge;
  const scopes: ScopedResourceSelectorRequirement[] = [];
  const covered = new Set<string>();
  const concerned = quotas.map((open) => {
    append(scopes, matchingScopes(evaluator, scopesOf(open.quota), request.object));
    if (!matches(evaluator, open, request.object)) return false;
    const restricted = evaluator.matchingResources(open.hard.keys());
    checkCountable(open, restricted, charge);
    for (const name of restricted) covered.add(name);
    return true;
  });
  const usage = evaluator.usage(request.object);
  const negative = [...usage].filter(([, quantity]) => quantity.sign < 0).map(([name]) => name);
  if (negative.length > 0) {
    const list = negative.sort().join(",");
    throw new QuotaRefusal(`quota usage is negative for resource(s): ${list}`);
  }
  const deltas = deltasOf(quotas, concerned, usage, charge);
  const anyDelta = concerned.includes(true)
    ? deltas.some((delta) => delta && delta.size > 0)
    : growth(usage, charge).size > 0;
  if (!anyDelta) return quotas.map(() => undefined);
  checkCoverage(charge, usage, covered, scopes);
  return quotas.map((open, index) => {
    const delta = deltas[index];
    return delta && delta.size > 0 ? usedAfter(open, delta, request.subresource) : undefined;
  });
}

function matches(evaluator: QuotaEvaluator, { quota, hard }: OpenQuota, object: unknown): boolean {
  if (evaluator.matchingResources(hard.keys()).length === 0) return false;
  return scopesOf(quota).every((scope) => evaluator.matchesScope?.(scope, object) ?? false);
}

const matchingScopes = (
  evaluator: QuotaEvaluator,
  scopes: readonly ScopedResourceSelectorRequirement[],
  object: unknown,
) => scopes.filter((scope) => evaluator.matchesScope?.(scope, object) ?? false);

function checkCountable(
  { quota, hard, used }: OpenQuota,
  restricted: readonly string[],
  { evaluator, request }: Charge,
): void {
  const { name } = quota.metadata;
  const missing = evaluator.findMissing?.(restricted, request.object);
  if (missing !== undefined) throw new QuotaRefusal(`failed quota: ${name}: ${missing}`);
  if (restricted.every((resource) => !hard.has(resource) || used.has(resource))) return;
  const list = [...restricted].sort().join(",");
  throw new QuotaRefusal(`status unknown for quota: ${name}, resources: ${list}`);
}

/** The increase for each affected quota: the whole object, or its growth if the quota counted it before. */
function deltasOf(
  quotas: readonly OpenQuota[],
  concerned: readonly boolean[],
  usage: ResourceList,
  charge: Charge,
): (ResourceList | undefined)[] {
  const { evaluator, request } = charge;
  const grown = growth(usage, charge);
  return quotas.map((open, index) => {
    if (!concerned[index]) return undefined;
    const counted =
      isChange(request) && matches(evaluator, open, request.oldObject) ? grown : usage;
    return withoutZeros(counted);
  });
}

const isChange = ({ operation, oldObject }: QuotaRequest): boolean =>
  operation === "UPDATE" && oldObject !== undefined;

function growth(usage: ResourceList, { evaluator, request }: Charge): ResourceList {
  if (!isChange(request)) return withoutZeros(usage);
  const before = evaluator.usage(request.oldObject);
  const grown: ResourceList = new Map();
  for (const [name, quantity] of usage) {
    const old = before.get(name);
    const difference = old ? quantity.sub(old) : quantity;
    if (difference.sign > 0) grown.set(name, difference);
  }
  return grown;
}

const withoutZeros = (list: ResourceList): ResourceList =>
  new Map([...list].filter(([, quantity]) => !quantity.isZero));

function checkCoverage(
  { evaluator, request, limited, limitedHere }: Charge,
  usage: ResourceList,
  covered: ReadonlySet<string>,
  scopes: readonly ScopedResourceSelectorRequirement[],
): void {
  const limitedNames = [...usage]
    .filter(([, quantity]) => quantity.sign > 0)
    .map(([name]) => name)
    .filter((name) =>
      limitedHere.some((limit) => limit.matchContains.some((part) => name.includes(part))),
    );
  const uncovered = limitedNames.filter((name) => !covered.has(name)).sort();
  if (uncovered.length > 0) {
    throw new QuotaRefusal(`insufficient quota to consume: ${uncovered.join(",")}`);
  }
  const wanted = limited.flatMap(({ matchScopes }) =>
    matchingScopes(evaluator, matchScopes, request.object),
  );
  const open = wanted.filter(
    ({ scopeName }) => !scopes.some((scope) => scope.scopeName === scopeName),
  );
  if (open.length === 0) return;
  const list = open.map(
    ({ scopeName, operator, values = [] }) => `{${scopeName} ${operator} [${values.join(" ")}]}`,
  );
  throw new QuotaRefusal(`insufficient quota to match these scopes: [${list.join(" ")}]`, true);
}

function usedAfter(
  { quota, hard, used }: OpenQuota,
  delta: ResourceList,
  subresource: string,
): ResourceList {
  const requested = new Map([...delta].filter(([name]) => hard.has(name)));
  const after: ResourceList = new Map(used);
  addResources(after, requested);
  const exceeded = [...requested.keys()].filter((name) => {
    const limit = hard.get(name);
    return limit && (after.get(name) ?? zeroQuantity).compare(limit) > 0;
  });
  if (exceeded.length === 0 || subresource === "status") return after;
  const show = (list: ReadonlyMap<string, Quantity>): string =>
    exceeded
      .filter((name) => list.has(name))
      .sort()
      .map((name) => `${name}=${list.get(name)}`)
      .join(",");
  throw new QuotaRefusal(
    `exceeded quota: ${quota.metadata.name}, requested: ${show(requested)}, used: ${show(used)}, limited: ${show(hard)}`,
  );
}

/** A stored quota, ready to be charged. */
export const openQuota = (quota: Decoded<ResourceQuota>): OpenQuota => ({
  quota,
  hard: parseResourceList(quota.status?.hard),
  used: parseResourceList(quota.status?.used),
});
