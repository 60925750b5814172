import { addressAt, cidrContains, parseCidr } from "#/std/net/cidr.ts";
import { formatIp, parseIp } from "#/std/net/ip.ts";

/** An interface, as `ip -j addr` lists it. */
export interface ListedLink {
  readonly ifname: string;
  readonly addr_info: readonly { readonly local: string; readonly prefixlen: number }[];
}

/** Where a virtual address belongs. */
export interface AddressPlan {
  readonly device: string;
  readonly family: 4 | 6;
  /** With the length of a single address: it makes no route of its own. */
  readonly cidr: string;
  /** Addresses of the same network; asking for one that is not known shows all neighbours who asks. */
  readonly neighbours: readonly string[];
}

/** How many addresses of the network are asked for (count): most of them are unknown to the kernel. */
const askedCount = 4;

/** The interface whose network has the address; undefined if there is none. Pure. */
export function planAddress(
  address: string,
  links: readonly ListedLink[],
): AddressPlan | undefined {
  const ip = parseIp(address);
  if (ip === undefined) return undefined;
  for (const { ifname, addr_info } of links) {
    const own = addr_info.map(({ local }) => local);
    for (const { local, prefixlen } of addr_info) {
      const cidr = parseCidr(`${local}/${prefixlen}`);
      // Its own entry, of an earlier term, is no network.
      const isNetwork = prefixlen < (ip.family === 4 ? 32 : 128);
      if (!cidr || !isNetwork || !cidrContains(cidr, ip)) continue;
      const hosts = 2 ** Math.min(16, (ip.family === 4 ? 32 : 128) - prefixlen);
      const indexes = [hosts - 2, hosts - 3, 1, 2].filter(
        (index) => index > 0 && index < hosts - 1,
      );
      const neighbours = [...new Set(indexes)]
        .map((index) => formatIp(addressAt(cidr, index)))
        .filter((one) => one !== address && !own.includes(one))
        .slice(0, askedCount);
      const bits = ip.family === 4 ? 32 : 128;
      return { device: ifname, family: ip.family, cidr: `${address}/${bits}`, neighbours };
    }
  }
  return undefined;
}

/** The interfaces that have the address. Pure. */
export const holdersOf = (address: string, links: readonly ListedLink[]): string[] =>
  links.flatMap(({ ifname, addr_info }) =>
    addr_info.some(({ local }) => local === address) ? [ifname] : [],
  );
