import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";

const serviceLabel = "kubernetes.io/service-name";

/** The key of a slice's Service; none if it belongs to none. */
export function serviceKeyOf({ metadata }: EndpointSlice): string[] {
  const name = metadata.labels?.[serviceLabel];
  return name === undefined ? [] : [`${metadata.namespace}/${name}`];
}

/** Whether a change of a slice, from undefined if it is new and to undefined if it is deleted, may change targets. */
export function mayChangeTargets(
  now: EndpointSlice | undefined,
  old: EndpointSlice | undefined,
): boolean {
  return !deepEqual(targetFields(now), targetFields(old));
}

function targetFields(slice: EndpointSlice | undefined) {
  const ready = (slice?.endpoints ?? []).filter(({ conditions }) => conditions?.ready ?? true);
  if (!slice || ready.length === 0) return undefined;
  return {
    service: slice.metadata.labels?.[serviceLabel],
    family: slice.addressType,
    addresses: ready.map(({ addresses }) => addresses[0] ?? "").toSorted(),
    ports: (slice.ports ?? []).map(({ name = "", port }) => ({ name, port })),
  };
}
