/** Upstream: pkg/controller/endpointslicemirroring. */
import {
  type EndpointAddress,
  type EndpointSubset,
  type Endpoints,
  endpoints,
} from "#/api/core/v1.ts";
import type { Endpoint, EndpointPort, EndpointSlice } from "#/api/discovery/v1.ts";
import { controllerReference } from "#/machinery/meta/owner-references.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { formatIp, parseNetIp } from "#/std/net/ip.ts";
import { portsKey } from "../endpoint-slice/desired-endpoints.ts";
import { managedByLabel, type SlicePlan, serviceNameLabel } from "../endpoint-slice/plan-slices.ts";
import { repack } from "../endpoints/repack.ts";

export const controllerName = "endpointslicemirroring-controller.k8s.io";

const unmirrored: readonly string[] = [
  "endpoints.kubernetes.io/last-change-trigger-time",
  "kubectl.kubernetes.io/last-applied-configuration",
];

/** The slices that mirror an Endpoints object, and the skipped parts. */
interface Mirror {
  readonly slices: readonly EndpointSlice[];
  readonly invalidCount: number;
  readonly skippedCount: number;
}

/**
 * Mirrors a limited number of addresses of each subset: one slice for each set of ports and family.
 */
export function mirror(object: Endpoints, maxPerSubset: number): Mirror {
  const slices: EndpointSlice[] = [];
  let [invalidCount, skippedCount] = [0, 0];
  for (const subset of repack(object.subsets ?? [])) {
    const ports = portsOf(subset);
    const { addresses = [], notReadyAddresses = [] } = subset;
    const all = [
      ...addresses.map((address) => endpointOf(address, true)),
      ...notReadyAddresses.map((address) => endpointOf(address, false)),
    ];
    const valid = all.filter((one) => one !== undefined);
    const kept = valid.slice(0, maxPerSubset);
    invalidCount += all.length - valid.length;
    skippedCount += all.length - kept.length;
    for (const type of ["IPv4", "IPv6"] as const) {
      const own = kept.filter(({ addresses: [ip = ""] }) => ip.includes(":") === (type === "IPv6"));
      if (own.length > 0) slices.push(sliceOf(object, type, ports, own));
    }
  }
  return { slices, invalidCount, skippedCount };
}

const portsOf = ({ ports = [] }: EndpointSubset): EndpointPort[] =>
  ports.map(({ name = "", port, protocol = "TCP", appProtocol }) => ({
    name,
    port,
    protocol,
    ...(appProtocol === undefined ? {} : { appProtocol }),
  }));

function endpointOf(address: EndpointAddress, ready: boolean): Endpoint | undefined {
  const ip = parseNetIp(address.ip, { sloppy: true });
  if (!ip) return undefined;
  const { hostname, nodeName, targetRef } = address;
  return {
    addresses: [formatIp(ip)],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(targetRef ? { targetRef } : {}),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}

function sliceOf(
  object: Endpoints,
  addressType: "IPv4" | "IPv6",
  ports: EndpointPort[],
  own: Endpoint[],
): EndpointSlice {
  const { name = "", namespace = "", labels } = object.metadata;
  const annotations = Object.entries(object.metadata.annotations ?? {}).filter(
    ([key]) => !unmirrored.includes(key),
  );
  return {
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: controllerName },
      ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
      ownerReferences: [controllerReference(object, endpoints)],
    },
    addressType,
    ports,
    endpoints: own,
  };
}

const keyOf = ({ addressType, ports }: EndpointSlice): string =>
  `${addressType} ${portsKey(ports)}`;

/** The changes from the existing slices to the desired ones. */
export function planMirror(
  desired: readonly EndpointSlice[],
  existing: readonly EndpointSlice[],
): SlicePlan {
  const left = new Map(existing.map((slice) => [keyOf(slice), slice]));
  const create: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  const kept = new Set<EndpointSlice>();
  for (const slice of desired) {
    const there = left.get(keyOf(slice));
    if (!there) {
      create.push(slice);
      continue;
    }
    kept.add(there);
    const { labels = {}, annotations = {} } = slice.metadata;
    const isSame =
      deepEqual(there.endpoints ?? [], slice.endpoints) &&
      deepEqual(there.metadata.labels ?? {}, labels) &&
      deepEqual(there.metadata.annotations ?? {}, annotations);
    const metadata = { ...there.metadata, labels, annotations };
    if (!isSame) update.push({ ...there, metadata, endpoints: slice.endpoints ?? [] });
  }
  return { create, update, remove: existing.filter((slice) => !kept.has(slice)) };
}
