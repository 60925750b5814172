/** Upstream: pkg/api/v1/endpoints/util.go. */
import type { EndpointAddress, EndpointPort, EndpointSubset } from "#/api/core/v1.ts";

interface Reachable {
  readonly address: EndpointAddress;
  readonly isReady: boolean;
  readonly ports: Map<string, EndpointPort>;
}

const portKey = ({ name = "", port, protocol = "TCP", appProtocol = "" }: EndpointPort): string =>
  [name, String(port).padStart(5, "0"), protocol, appProtocol].join("/");

const addressKey = ({ ip, targetRef }: EndpointAddress): string => `${ip} ${targetRef?.uid ?? ""}`;

/** The same endpoints in the fewest subsets, in a fixed order. */
export function repack(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const reachable = new Map<string, Reachable>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const add = (address: EndpointAddress, isReady: boolean): void => {
      const key = `${addressKey(address)} ${isReady}`;
      const found = reachable.get(key) ?? { address, isReady, ports: new Map() };
      reachable.set(key, found);
      for (const port of ports) found.ports.set(portKey(port), port);
    };
    for (const address of addresses) add(address, true);
    for (const address of notReadyAddresses) add(address, false);
  }
  const groups = Map.groupBy(reachable.values(), ({ ports }) => [...ports.keys()].sort().join(" "));
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, members]) => subsetOf(members));
}

function subsetOf(members: readonly Reachable[]): EndpointSubset {
  const select = (desired: boolean): EndpointAddress[] =>
    members
      .filter(({ isReady }) => isReady === desired)
      .map(({ address }) => address)
      .sort((a, b) => (addressKey(a) < addressKey(b) ? -1 : 1));
  const [addresses, notReadyAddresses] = [select(true), select(false)];
  const ports = [...(members[0]?.ports ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
    ...(ports.length > 0 ? { ports: ports.map(([, port]) => port) } : {}),
  };
}

/** Limit of addresses in one object. */
const capacity = 1000;

/** Drops addresses over the limit: those that aren't ready first, in proportion among subsets. */
export function truncate(subsets: readonly EndpointSubset[]): {
  subsets: EndpointSubset[];
  isTruncated: boolean;
} {
  const count = (field: "addresses" | "notReadyAddresses"): number =>
    subsets.reduce((sum, subset) => sum + (subset[field]?.length ?? 0), 0);
  const [ready, notReady] = [count("addresses"), count("notReadyAddresses")];
  if (ready + notReady <= capacity) return { subsets: [...subsets], isTruncated: false };
  const field = ready > capacity ? "addresses" : "notReadyAddresses";
  const total = ready > capacity ? ready : notReady;
  const room = ready > capacity ? capacity : capacity - ready;
  let left = room;
  const cut = subsets.map((subset) => {
    const own = subset[field] ?? [];
    const kept = own.slice(0, Math.min(left, Math.ceil((own.length / total) * room)));
    left -= kept.length;
    const { notReadyAddresses: _, ...rest } = subset;
    const base = field === "addresses" ? rest : subset;
    return { ...base, [field]: kept };
  });
  return { subsets: cut, isTruncated: true };
}
