import { parseIp } from "#/std/net/ip.ts";
import type { Upstream } from "../corefile/dns-config.ts";

const dnsPort = 53;

/** The servers in a resolv.conf. */
export function nameservers(text: string): Upstream[] {
  return text.split("\n").flatMap((line) => {
    const [, host = ""] = /^\s*nameserver\s+(\S+)/.exec(line) ?? [];
    return parseIp(host.replace(/%.*$/, "")) ? [{ host, port: dnsPort }] : [];
  });
}

/** Parses `host`, `host:port` or `[host]:port`; throws otherwise. */
export function parseUpstream(text: string): Upstream {
  const match = /^(?:\[([^\]]+)\]|([^:]+)|([0-9a-fA-F:.]+:[0-9a-fA-F:.]+))(?::(\d+))?$/.exec(text);
  const [, bracketed, plain, ipv6, port] = match ?? [];
  const whole = parseIp(text);
  if (whole) return { host: text, port: dnsPort };
  const host = bracketed ?? plain ?? ipv6 ?? "";
  if (!parseIp(host)) throw new Error(`"${text}" is not an IP address with or without a port`);
  return { host, port: port === undefined ? dnsPort : Number(port) };
}
