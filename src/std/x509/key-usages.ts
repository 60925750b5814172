/** Upstream: staging/src/k8s.io/api/certificates/v1 KeyUsage, RFC 5280. */
import { element, oid, sequence } from "./der-writer.ts";

/** Bits of the key usage extension, by Kubernetes' names. */
const bits: Readonly<Record<string, number>> = {
  signing: 0,
  "digital signature": 0,
  "content commitment": 1,
  "key encipherment": 2,
  "data encipherment": 3,
  "key agreement": 4,
  "cert sign": 5,
  "crl sign": 6,
  "encipher only": 7,
  "decipher only": 8,
};

/** Identifiers of the extended key usage extension, by Kubernetes' names. */
const purposes: Readonly<Record<string, string>> = {
  any: "2.5.29.37.0",
  "server auth": "1.3.6.1.5.5.7.3.1",
  "client auth": "1.3.6.1.5.5.7.3.2",
  "code signing": "1.3.6.1.5.5.7.3.3",
  "email protection": "1.3.6.1.5.5.7.3.4",
  "s/mime": "1.3.6.1.5.5.7.3.4",
  "ipsec end system": "1.3.6.1.5.5.7.3.5",
  "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
  "ipsec user": "1.3.6.1.5.5.7.3.7",
  timestamping: "1.3.6.1.5.5.7.3.8",
  "ocsp signing": "1.3.6.1.5.5.7.3.9",
  "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
  "netscape sgc": "2.16.840.1.113730.4.1",
};

/** Throws for an unknown usage. */
export function checkUsages(usages: readonly string[]): void {
  const unknown = usages.filter((usage) => bits[usage] === undefined && !purposes[usage]);
  if (unknown.length > 0) {
    throw new Error(`unrecognized usage values: [${unknown.map((name) => `"${name}"`).join(" ")}]`);
  }
}

/** The bit string of key usages; undefined if there are none. */
export function keyUsageBits(usages: readonly string[]): Buffer | undefined {
  const found = usages.flatMap((usage) => bits[usage] ?? []);
  if (found.length === 0) return undefined;
  const highest = Math.max(...found);
  const bytes = Buffer.alloc(highest > 7 ? 2 : 1);
  for (const bit of found) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  // The bits after the last set one are unused.
  return element(0x03, Buffer.of(7 - (highest & 7)), bytes);
}

/** The sequence of extended key usages; undefined if there are none. */
export function extendedKeyUsages(usages: readonly string[]): Buffer | undefined {
  const found = [...new Set(usages.flatMap((usage) => purposes[usage] ?? []))];
  return found.length === 0 ? undefined : sequence(...found.map(oid));
}
