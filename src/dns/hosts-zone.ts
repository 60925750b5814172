import { isInZone } from "./corefile/directive-words.ts";
import type { HostsConfig } from "./corefile/dns-config.ts";
import { addressOfReverseName } from "./reverse-name.ts";
import { type DnsAnswer, type DnsRecord, rcodes, recordTypes } from "./wire/record.ts";
import { errorAnswer } from "./wire/reply.ts";

/** The answer of a table of hosts; undefined if the question is for others. Upstream: CoreDNS plugin/hosts. */
export function hostsAnswer(hosts: HostsConfig, name: string, type: number): DnsAnswer | undefined {
  const lower = name.toLowerCase();
  const isOurs = hosts.zones.some((zone) => isInZone(lower, zone));
  if (type === recordTypes.PTR) {
    const names = hosts.names.get(addressOfReverseName(lower) ?? "") ?? [];
    const records = names.map((target) => ({ name, ttl: hosts.ttl, type: "PTR" as const, target }));
    return records.length > 0 ? found(records) : undefined;
  }
  if (!isOurs) return undefined;
  const addresses =
    hosts.addresses.get(lower) ?? hosts.addresses.get(`*${lower.slice(lower.indexOf("."))}`);
  if (addresses) {
    return found(
      addresses.flatMap((address): DnsRecord[] => {
        const own = address.includes(":") ? "AAAA" : "A";
        return recordTypes[own] === type ? [{ name, ttl: hosts.ttl, type: own, address }] : [];
      }),
    );
  }
  if (hosts.fallthrough.some((zone) => isInZone(lower, zone))) return undefined;
  // There is no SOA for an answer that says that the name does not exist.
  return errorAnswer(rcodes.ServFail);
}

const found = (answers: readonly DnsRecord[]): DnsAnswer => ({
  ...errorAnswer(rcodes.NoError),
  authoritative: true,
  answers,
});
