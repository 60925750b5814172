/** Upstream: Go's crypto/x509, verify.go. */
import { parseNetIp, sameIp } from "../net/ip.ts";
import type { Certificate } from "./certificate.ts";
import { commonNameOf } from "./subject.ts";

/** Number of names from which messages have their count instead of a list. */
const maxNamesShown = 100;

/** Throws unless a server's certificate is for its name or address. The messages are Go's. */
export function checkServerName({ names, subject }: Certificate, host: string): void {
  const { dns = [], ips = [] } = names ?? {};
  const address = parseNetIp(host);
  const fits = address
    ? ips.some((ip) => {
        const own = parseNetIp(ip);
        return own !== undefined && sameIp(own, address);
      })
    : dns.some((pattern) => nameFits(pattern, host));
  if (fits) return;
  if (!names && matchParts(commonNameOf(subject).toLowerCase(), host)) {
    throw new Error("x509: certificate relies on legacy Common Name field, use SANs instead");
  }
  throw new Error(address ? wrongAddress(ips, host) : wrongName(dns, host));
}

function wrongAddress(ips: readonly string[], host: string): string {
  if (ips.length === 0) {
    return `x509: cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  }
  return ips.length < maxNamesShown
    ? `x509: certificate is valid for ${ips.join(", ")}, not ${host}`
    : `x509: certificate is valid for ${ips.length} IP SANs, but none matched ${host}`;
}

function wrongName(dns: readonly string[], host: string): string {
  if (dns.length === 0) {
    return `x509: certificate is not valid for any names, but wanted to match ${host}`;
  }
  return dns.length < maxNamesShown
    ? `x509: certificate is valid for ${dns.join(", ")}, not ${host}`
    : `x509: certificate is valid for ${dns.length} names, but none matched ${host}`;
}

/** Wildcards and a final dot are only valid for host names; anything else must be equal. */
function nameFits(pattern: string, host: string): boolean {
  if (isHostName(host.replace(/\.$/, ""), false) && isHostName(pattern, true)) {
    return matchParts(pattern.toLowerCase(), host);
  }
  const isName = (text: string): boolean => text !== "" && text !== ".";
  return isName(pattern) && isName(host) && pattern.toLowerCase() === host.toLowerCase();
}

function isHostName(name: string, isPattern: boolean): boolean {
  if (name === "" || name === "*") return false;
  return name
    .split(".")
    .every((part, n) => (isPattern && n === 0 && part === "*") || /^[\w][\w-]*$/.test(part));
}

function matchParts(pattern: string, host: string): boolean {
  const parts = pattern.split(".");
  const labels = host.toLowerCase().replace(/\.$/, "").split(".");
  return (
    pattern !== "" &&
    parts.length === labels.length &&
    parts.every((part, n) => (n === 0 && part === "*") || part === labels[n])
  );
}
