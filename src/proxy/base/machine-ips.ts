import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { formatIp, parseIp } from "#/std/net/ip.ts";

/**
 * The current addresses of this machine, those of links without a carrier among them: a node that starts before its
 * switch does serves them later. Node.js lists only links that have one.
 */
export function machineIps(): string[] {
  const up = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.map((one) => one.address),
  );
  const ipv4 = localIpv4(read("fib_trie"));
  const ipv6 = localIpv6(read("if_inet6"));
  return [...new Set([...up, ...ipv4, ...ipv6])];
}

/** The local addresses in the text of /proc/net/fib_trie: a line with the address precedes that with its type. */
function localIpv4(text: string): string[] {
  return [...text.matchAll(/\|-- ([\d.]+)\n\s+\/32 host LOCAL/g)].map(([, ip = ""]) => ip);
}

/** The addresses in the text of /proc/net/if_inet6: 32 digits without colons. */
function localIpv6(text: string): string[] {
  return [...text.matchAll(/^([0-9a-f]{32}) /gm)].flatMap(([, digits = ""]) => {
    const ip = parseIp(digits.replace(/(....)(?!$)/g, "$1:"));
    return ip === undefined ? [] : [formatIp(ip)];
  });
}

/** Empty if the kernel lacks the file, as without IPv6. */
function read(file: string): string {
  try {
    return readFileSync(`/proc/net/${file}`, "utf8");
  } catch {
    return "";
  }
}
