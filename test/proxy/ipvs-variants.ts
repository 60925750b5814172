import type { NetworkNamespace } from "#/testing/network-namespace.ts";
import { listRules, type RuleListing } from "./node-namespace.ts";

/** A way to run a proxy in mode ipvs. */
interface Variant {
  readonly name: string;
  readonly flags: readonly string[];
  /** What is in the namespace before (a shell script); removed by `after`. */
  readonly before?: string;
  readonly after?: string;
}

/** Every scheduler of the kernel but `rr`, the default. */
const schedulers = "wrr lc wlc lblc lblcr sh dh sed nq fo ovf mh twos".split(" ");

export const variants: readonly Variant[] = [
  { name: "defaults", flags: [] },
  ...schedulers.map((scheduler) => ({
    name: `scheduler ${scheduler}`,
    flags: [`--ipvs-scheduler=${scheduler}`],
  })),
  { name: "strict ARP", flags: ["--ipvs-strict-arp"] },
  {
    name: "timeouts",
    flags: ["--ipvs-tcp-timeout=300s", "--ipvs-tcpfin-timeout=45s", "--ipvs-udp-timeout=90s"],
  },
  { name: "one timeout", flags: ["--ipvs-udp-timeout=77s"] },
  { name: "node ports at a network", flags: ["--nodeport-addresses=192.168.9.0/24"] },
  { name: "node ports at the primary addresses", flags: ["--nodeport-addresses=primary"] },
  { name: "node ports at localhost", flags: ["--nodeport-addresses=localhost"] },
  {
    name: "node ports at addresses that the node lacks",
    flags: ["--nodeport-addresses=192.0.2.0/24,fd00:77::/64"],
  },
  { name: "masquerade of everything", flags: ["--masquerade-all"] },
  { name: "another mark", flags: ["--iptables-masquerade-bit=7"] },
  {
    name: "Pods behind a bridge",
    flags: ["--detect-local-mode=BridgeInterface", "--pod-bridge-interface=cni0"],
  },
  {
    name: "Pods behind interfaces with a prefix",
    flags: ["--detect-local-mode=InterfaceNamePrefix", "--pod-interface-name-prefix=veth"],
  },
  {
    name: "servers of other programs",
    flags: ["--ipvs-exclude-cidrs=10.96.77.0/24,fd00:77::/64"],
    before: `
      ipvsadm -A -t 10.96.77.77:80 -s rr; ipvsadm -A -t 10.96.88.88:80 -s rr
      ipvsadm -A -t [fd00:77::1]:80 -s rr; ipvsadm -A -t [fd00:88::1]:80 -s rr
    `,
    after: "ipvsadm -C",
  },
];

/** The kernel's settings that the proxy changes, some of them only if asked to. */
const settings = [
  "vs/conntrack",
  "vs/expire_nodest_conn",
  "vs/expire_quiescent_template",
  "ip_forward",
  "conf/all/arp_ignore",
  "conf/all/arp_announce",
  "conf/all/route_localnet",
];

/** Sets the values that a proxy changes as they are without one. */
export async function resetSettings(namespace: NetworkNamespace): Promise<void> {
  const lines = settings.map((name) => `echo 0 > /proc/sys/net/ipv4/${name}`);
  await namespace.sh(`${lines.join("\n")}\nipvsadm --set 900 120 300`);
}

/** What a proxy has set in the kernel of a namespace: rules and settings. */
export async function listAll(namespace: NetworkNamespace): Promise<RuleListing> {
  const files = settings.map((name) => `/proc/sys/net/ipv4/${name}`).join(" ");
  const values = await namespace.sh(`grep . ${files}`);
  const times = await namespace.sh("ipvsadm -L --timeout");
  return {
    ...(await listRules(namespace, "ipvs")),
    settings: values.trim().split("\n"),
    timeouts: [times.trim()],
  };
}

/** The lists of a listing that differ from another's; those that it lacks are empty. */
export function differences(listing: RuleListing, from: RuleListing): RuleListing {
  const names = [...new Set([...Object.keys(from), ...Object.keys(listing)])].sort();
  const pairs = names.map((name) => [name, listing[name] ?? []] as const);
  return Object.fromEntries(
    pairs.filter(([name, lines]) => JSON.stringify(lines) !== JSON.stringify(from[name] ?? [])),
  );
}

/** A listing of servers is their settings, then their real servers: a list of settings is shorter. */
const settingsLine = /^-s /;

/** The settings of virtual servers, apart from their real servers: schedulers change nothing else. */
export function withServerSettings(listing: RuleListing): RuleListing {
  const found: RuleListing = { "server settings": [] };
  for (const [name, lines] of Object.entries(listing)) {
    const isServer = name.startsWith("ipvs ");
    found[name] = isServer ? lines.filter((line) => !settingsLine.test(line)) : lines;
    if (!isServer) continue;
    const [line = ""] = lines.filter((each) => settingsLine.test(each));
    found["server settings"]?.push(`${name.slice("ipvs ".length)} ${line}`);
  }
  return found;
}
