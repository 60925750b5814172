/** Upstream: staging/src/k8s.io/endpointslice/reconciler.go. */
import { type Service, services } from "#/api/core/v1.ts";
import type { Endpoint, EndpointSlice } from "#/api/discovery/v1.ts";
import { controllerReference, isOwnedBy } from "#/machinery/meta/owner-references.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type AddressType, type EndpointGroup, portsKey } from "./desired-endpoints.ts";

export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const serviceNameLabel = "kubernetes.io/service-name";
export const controllerName = "endpointslice-controller.k8s.io";
const headlessLabel = "service.kubernetes.io/headless";
const reserved: readonly string[] = [managedByLabel, serviceNameLabel, headlessLabel];

/** The changes of a Service's slices. */
export interface SlicePlan {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly remove: readonly EndpointSlice[];
}

/** A key for an endpoint: its Pod and its addresses. */
const endpointKey = ({ targetRef, addresses }: Endpoint): string =>
  `${targetRef?.uid ?? ""} ${[...addresses].sort().join()}`;

/**
 * The fewest changes from the slices of one family to the desired endpoints: an endpoint stays in
 * its slice; new ones are added to slices that change anyway, then to slices with room, then to new
 * slices.
 */
export function planSlices(
  service: Service,
  addressType: AddressType,
  groups: readonly EndpointGroup[],
  existing: readonly EndpointSlice[],
  maxEndpoints: number,
): SlicePlan {
  const own = existing.filter((slice) => isOwnedBy(slice, service));
  const labels = labelsOf(service);
  const plans = groups.map((group) =>
    planGroup(service, addressType, group, {
      existing: own.filter(({ ports }) => portsKey(ports) === portsKey(group.ports)),
      labels,
      maxEndpoints,
    }),
  );
  const kept = new Set(groups.map(({ ports }) => portsKey(ports)));
  const unwanted = existing.filter(
    (slice) => !own.includes(slice) || !kept.has(portsKey(slice.ports)),
  );
  const create = plans.flatMap((plan) => plan.create);
  const update = plans.flatMap((plan) => plan.update);
  const remove = [...plans.flatMap((plan) => plan.remove), ...unwanted];
  return reuse(
    service,
    withPlaceholder(service, addressType, { create, update, remove }, existing),
  );
}

/** A Service without endpoints has an empty slice, which shows that it was processed. */
function withPlaceholder(
  service: Service,
  addressType: AddressType,
  plan: SlicePlan,
  existing: readonly EndpointSlice[],
): SlicePlan {
  if (plan.create.length > 0 || existing.length > plan.remove.length) return plan;
  const placeholder = newSlice(service, addressType, { ports: [], endpoints: [] });
  const [only, ...others] = plan.remove;
  const isThere =
    only &&
    others.length === 0 &&
    isOwnedBy(only, service) &&
    !only.endpoints?.length &&
    !only.ports?.length &&
    deepEqual(only.metadata.labels, placeholder.metadata.labels);
  return isThere ? { ...plan, remove: [] } : { ...plan, create: [placeholder] };
}

/** A slice to be deleted takes the content of a slice to be created: one write instead of two. */
function reuse(service: Service, { create, update, remove }: SlicePlan): SlicePlan {
  const spare = remove.filter((slice) => isOwnedBy(slice, service));
  const count = Math.min(spare.length, create.length);
  const used = spare.slice(0, count);
  const filled = used.map((slice, index) => {
    const desired = create[index];
    return {
      ...slice,
      ...desired,
      metadata: { ...slice.metadata, labels: desired?.metadata.labels },
    };
  });
  return {
    create: create.slice(count),
    update: [...update, ...(filled as EndpointSlice[])],
    remove: remove.filter((slice) => !used.includes(slice)),
  };
}

interface GroupOptions {
  readonly existing: readonly EndpointSlice[];
  readonly labels: Record<string, string>;
  readonly maxEndpoints: number;
}

function planGroup(
  service: Service,
  addressType: AddressType,
  { ports, endpoints }: EndpointGroup,
  { existing, labels, maxEndpoints }: GroupOptions,
): SlicePlan {
  const waiting = new Map(endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const drafts = existing.map((slice) => {
    const kept = (slice.endpoints ?? []).flatMap((endpoint) => {
      const key = endpointKey(endpoint);
      const desired = waiting.get(key);
      waiting.delete(key);
      return desired ? [desired] : [];
    });
    const isSame =
      deepEqual(kept, slice.endpoints ?? []) && deepEqual(labels, slice.metadata.labels);
    return { slice, kept, isSame };
  });
  let rest = [...waiting.values()];
  const fill = (draft: { kept: Endpoint[]; isSame: boolean }): void => {
    const taken = rest.slice(0, Math.max(0, maxEndpoints - draft.kept.length));
    if (taken.length === 0) return;
    draft.kept.push(...taken);
    draft.isSame = false;
    rest = rest.slice(taken.length);
  };
  const fullest = [...drafts].sort((a, b) => b.kept.length - a.kept.length);
  for (const draft of fullest) if (!draft.isSame && draft.kept.length > 0) fill(draft);
  // A further slice is changed only if it takes all remaining endpoints.
  const roomy = fullest.find(
    ({ kept, isSame }) => isSame && kept.length + rest.length <= maxEndpoints,
  );
  if (rest.length > 0 && rest.length < maxEndpoints && roomy) fill(roomy);
  const create: EndpointSlice[] = [];
  for (let start = 0; start < rest.length; start += maxEndpoints) {
    const part = { ports, endpoints: rest.slice(start, start + maxEndpoints) };
    create.push(newSlice(service, addressType, part));
  }
  const isEmpty = endpoints.length === 0;
  return {
    create:
      isEmpty && existing.length === 0
        ? [newSlice(service, addressType, { ports, endpoints })]
        : create,
    update: drafts
      .filter(({ isSame, kept }, index) => !isSame && (kept.length > 0 || (isEmpty && index === 0)))
      .map(({ slice, kept }) => ({
        ...slice,
        metadata: { ...slice.metadata, labels },
        endpoints: kept,
      })),
    remove: drafts
      .filter(({ kept }, index) => kept.length === 0 && !(isEmpty && index === 0))
      .map(({ slice }) => slice),
  };
}

/** A slice's labels: the Service's own, and those that identify slices. */
function labelsOf({ metadata, spec }: Service): Record<string, string> {
  const own = Object.entries(metadata.labels ?? {}).filter(([name]) => !reserved.includes(name));
  const isHeadless = !spec?.clusterIP || spec.clusterIP === "None";
  return {
    ...Object.fromEntries(own),
    ...(isHeadless ? { [headlessLabel]: "" } : {}),
    [serviceNameLabel]: metadata.name ?? "",
    [managedByLabel]: controllerName,
  };
}

function newSlice(
  service: Service,
  addressType: AddressType,
  { ports, endpoints }: EndpointGroup,
): EndpointSlice {
  return {
    metadata: {
      generateName: `${service.metadata.name}-`,
      namespace: service.metadata.namespace ?? "",
      ownerReferences: [controllerReference(service, services)],
      labels: labelsOf(service),
    },
    addressType,
    ports: [...ports],
    endpoints: [...endpoints],
  };
}
