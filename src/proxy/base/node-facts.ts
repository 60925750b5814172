import type { Node } from "#/api/core/v1.ts";
import type { Informer } from "#/client/informers/informer.ts";
import { isUnspecified } from "#/std/net/ip.ts";
import type { Clock } from "#/std/time/clock.ts";
import { familyOfIp, type IpFamily, parseAddress } from "./ip-family.ts";

/** Limit of the wait for the node's addresses and pod networks (ms). */
const nodeIpsWaitMs = 30_000;
const podCidrsWaitMs = 300_000;
const recheckMs = 1000;

/** Properties of the node on which the proxy depends. If they change, the proxy restarts. */
export interface NodeFacts {
  /** The node's addresses: one, or one of each family, the primary first. */
  readonly ips: readonly string[];
  /** Empty unless needed to detect local traffic. */
  readonly podCIDRs: readonly string[];
}

/** The node's current addresses and networks. Upstream: pkg/util/node/node.go. */
export function nodeFacts(node: Node | undefined, needsPodCIDRs: boolean): NodeFacts {
  const addresses = node?.status?.addresses ?? [];
  const ofType = (addressType: string): string[] =>
    addresses.filter(({ type }) => type === addressType).map(({ address }) => address);
  const all = [...ofType("InternalIP"), ...ofType("ExternalIP")];
  const [first] = all;
  const family = first === undefined ? undefined : familyOf(first);
  const second = all.find((ip) => familyOf(ip) !== family);
  const ips = [first, second].filter((ip) => ip !== undefined);
  return { ips, podCIDRs: needsPodCIDRs ? (node?.spec?.podCIDRs ?? []) : [] };
}

/** Waits until the required properties of the node are known, or until the timeout. */
export async function waitForNode(
  nodes: Informer<Node>,
  nodeName: string,
  { needsPodCIDRs, clock, signal }: WaitOptions,
): Promise<NodeFacts> {
  await nodes.synced;
  const began = clock.monotonicMs();
  for (;;) {
    const facts = nodeFacts(nodes.store.get("", nodeName), needsPodCIDRs);
    const waitedMs = clock.monotonicMs() - began;
    const ipsSettled = facts.ips.length > 0 || waitedMs >= nodeIpsWaitMs;
    if (ipsSettled && (!needsPodCIDRs || facts.podCIDRs.length > 0)) return facts;
    if (waitedMs >= podCidrsWaitMs) {
      throw new Error(`timeout waiting for PodCIDR allocation on node "${nodeName}"`);
    }
    await changeOf(nodes, clock, signal);
  }
}

/** Resolves at the next change or after the timeout; rejects when the signal aborts. */
async function changeOf(nodes: Informer<Node>, clock: Clock, signal: AbortSignal): Promise<void> {
  const changed = Promise.withResolvers<void>();
  const seen = (): void => changed.resolve();
  // Existing objects are reported at once: they are no change.
  let replayed = false;
  const added = (): void => void (replayed && seen());
  using _watching = nodes.subscribe({ added, updated: seen });
  replayed = true;
  await Promise.race([changed.promise, clock.sleep(recheckMs, signal)]);
}

interface WaitOptions {
  readonly needsPodCIDRs: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The addresses by family, and the primary family; --bind-address overrides. */
export function detectNodeIps(
  ips: readonly string[],
  bindAddress: string,
): { primary: IpFamily; ips: Record<IpFamily, string> } {
  const found: Record<IpFamily, string> = { IPv4: "127.0.0.1", IPv6: "::1" };
  let primary: IpFamily = ips[0] === undefined ? "IPv4" : familyOf(ips[0]);
  for (const ip of ips) found[familyOf(ip)] = ip;
  const bind = parseAddress(bindAddress);
  if (bind && !isUnspecified(bind)) {
    primary = familyOfIp(bind);
    found[primary] = bindAddress;
  }
  return { primary, ips: found };
}

function familyOf(ip: string): IpFamily {
  return ip.includes(":") ? "IPv6" : "IPv4";
}
