import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeIfChanged } from "../base/write-file.ts";

/** A key that verifies tokens of service accounts. */
interface PublicKey {
  readonly pem: string;
  /** When it goes, as no token of it is left; undefined for the key that signs. */
  readonly untilMs?: number;
}

const file = (pki: string): string => join(pki, "sa.pub");

/** The keys of the file; a line before a key says when it goes. */
export async function readPublicKeys(pki: string): Promise<PublicKey[]> {
  const text = await readFile(file(pki), "utf8");
  const pattern =
    /(?:# until (\S+)\n)?(-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----\n)/g;
  return Array.from(text.matchAll(pattern), ([, until, pem = ""]) =>
    until === undefined ? { pem } : { pem, untilMs: Date.parse(until) },
  );
}

export async function writePublicKeys(pki: string, keys: readonly PublicKey[]): Promise<void> {
  const texts = keys.map(({ pem, untilMs }) =>
    untilMs === undefined ? pem : `# until ${new Date(untilMs).toISOString()}\n${pem}`,
  );
  await writeIfChanged(file(pki), texts.join(""));
}

/** The keys, with those of others that are not among them. */
export const joinPublicKeys = (
  keys: readonly PublicKey[],
  others: readonly PublicKey[],
): PublicKey[] => [...keys, ...others.filter(({ pem }) => !keys.some((one) => one.pem === pem))];

/** Removes the keys whose time has come. */
export async function removeOldKeys(pki: string, now: number): Promise<void> {
  const keys = await readPublicKeys(pki);
  const left = keys.filter(({ untilMs }) => untilMs === undefined || untilMs > now);
  if (left.length > 0 && left.length < keys.length) await writePublicKeys(pki, left);
}
