import type { Informers } from "#/client/informers/informers.ts";
import type { Logger } from "#/std/log/log.ts";
import { type Cidr, parseCidr } from "#/std/net/cidr.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type BalancerObjects, followBalancers } from "./follow-balancers.ts";
import { isIpv6 } from "./network-node.ts";
import { type Announcement, planAnnouncements } from "./plan-announcements.ts";
import type { ListedLink } from "./plan-routes.ts";

/** The protocol number that marks our entries in the kernel's list of neighbours. */
const neighbourProtocol = "108";

interface AnnouncementOptions {
  readonly informers: Informers;
  readonly nodeName: string;
  readonly bridge: string;
  readonly balancerCidrs: readonly string[];
  readonly run: RunProgram;
  /** Writes a value below /proc/sys. */
  setKernelValue(path: string, value: string): Promise<unknown>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Answers ARP and NDP for the addresses of load balancers that are this node's, until the signal aborts; they stay in
 * place then. The kernel answers: the addresses are proxied neighbours. It does so for addresses whose packets it would
 * forward to another link: those of the pool have a route to the bridge.
 */
export async function keepAnnouncements(
  options: AnnouncementOptions,
  signal: AbortSignal,
): Promise<void> {
  const { balancerCidrs, log } = options;
  const pools = balancerCidrs.flatMap((text) => parseCidr(text) ?? []);
  await followBalancers(
    options,
    (objects) =>
      announce(options, pools, objects).catch((error: unknown) =>
        log.error(error, "failed to announce load balancers"),
      ),
    signal,
  );
}

/** Ends all announcements. */
export async function removeAnnouncements(run: RunProgram): Promise<void> {
  for (const entry of await listProxied(run)) await setProxied(entry, "del", run);
}

async function announce(
  { nodeName, bridge, run, log, setKernelValue }: AnnouncementOptions,
  pools: readonly Cidr[],
  objects: BalancerObjects,
): Promise<void> {
  const all = JSON.parse(await run("ip", ["-j", "addr"])) as ListedLink[];
  const links = all.filter(({ ifname }) => ifname !== bridge);
  const wanted = planAnnouncements(objects, { name: nodeName, links, pools });
  const found = await listProxied(run);
  for (const entry of found) {
    if (wanted.some((one) => isSame(one, entry))) continue;
    await setProxied(entry, "del", run);
    log.info("ended the announcement of a load balancer", { ...entry });
  }
  for (const entry of wanted) {
    if (found.some((one) => isSame(one, entry))) continue;
    await prepareDevice(entry, setKernelValue);
    await setProxied(entry, "replace", run);
    log.info("announces a load balancer", { ...entry });
  }
}

/** Answers are to come at once, and for IPv6 at all. */
async function prepareDevice(
  { address, device }: Announcement,
  setKernelValue: AnnouncementOptions["setKernelValue"],
): Promise<void> {
  const family = isIpv6(address) ? "ipv6" : "ipv4";
  await setKernelValue(`net/${family}/neigh/${device}/proxy_delay`, "0");
  if (isIpv6(address)) await setKernelValue(`net/ipv6/conf/${device}/proxy_ndp`, "1");
}

interface ListedNeighbour {
  readonly dst: string;
  readonly dev: string;
  readonly protocol?: string;
}

async function listProxied(run: RunProgram): Promise<Announcement[]> {
  const found: Announcement[] = [];
  for (const family of ["-4", "-6"]) {
    const text = await run("ip", [family, "-j", "neigh", "show", "proxy"]);
    const listed = text.trim() === "" ? [] : (JSON.parse(text) as ListedNeighbour[]);
    const ours = listed.filter(({ protocol }) => protocol === neighbourProtocol);
    found.push(...ours.map(({ dst, dev }) => ({ address: dst, device: dev })));
  }
  return found;
}

async function setProxied(
  { address, device }: Announcement,
  verb: "replace" | "del",
  run: RunProgram,
): Promise<void> {
  const family = isIpv6(address) ? "-6" : "-4";
  const entry = ["proxy", address, "dev", device];
  const mark = verb === "replace" ? ["protocol", neighbourProtocol] : [];
  await run("ip", [family, "neigh", verb, ...entry, ...mark]);
}

const isSame = (a: Announcement, b: Announcement): boolean =>
  a.address === b.address && a.device === b.device;
