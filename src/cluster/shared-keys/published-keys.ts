import { hkdfSync } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { seal, unseal } from "./seal-keys.ts";
import type { SharedFiles } from "./shared-files.ts";

/** The ConfigMap by which the servers of a cluster get the keys of a rotation. Sealed: not even Secrets may be readable then. */
export const keysName = "k8ts-rotation";
export const keysNamespace = "kube-system";
export const keysPath = `/api/v1/namespaces/${keysNamespace}/configmaps/${keysName}`;

/** The annotation by which the node of a server says which keys it uses. */
export const usedAnnotation = "k8ts.dev/rotation";

/** What is rotated: the name of its private key, without extension, or another name. */
type Subject = string;

/** Keys on their way to the other servers. */
export interface PublishedKeys {
  readonly subject: Subject;
  /** The node of the server where the rotation runs. */
  readonly driver: string;
  /** Another one for each state of the keys. */
  readonly id: string;
  readonly sealed: string;
}

/** The private keys that servers share, and what is rotated with each. */
const privateKeys: readonly (readonly [file: string, subject: Subject])[] = [
  ["ca.key", "ca"],
  ["front-proxy-ca.key", "front-proxy-ca"],
  ["kubelet-ca.key", "kubelet-ca"],
  ["sa.key", "service-account"],
  ["etcd/ca.key", "etcd/ca"],
];

/**
 * The key that seals what servers share while something is rotated: made from all keys that this rotation leaves as they are.
 * So it is the same on each server in each step, and who has the key that is being replaced cannot get its successor.
 */
async function sealingKey(pki: string, subject: Subject): Promise<Uint8Array> {
  const files = privateKeys
    .filter(([file, of]) => of !== subject && existsSync(join(pki, file)))
    .map(([file]) => readFile(join(pki, file), "utf8"));
  const secret = (await Promise.all(files)).join("");
  return new Uint8Array(hkdfSync("sha256", secret, "", `k8ts rotation of ${subject}`, 32));
}

const purposeOf = ({ subject, driver, id }: Omit<PublishedKeys, "sealed">): string =>
  JSON.stringify([subject, driver, id]);

/** Seals files for the other servers. */
export async function sealFiles(
  pki: string,
  of: Omit<PublishedKeys, "sealed">,
  files: SharedFiles,
): Promise<PublishedKeys> {
  const key = await sealingKey(pki, of.subject);
  return { ...of, sealed: seal({ files }, key, purposeOf(of)).toString("base64") };
}

/** The files that another server has sealed; throws if this one does not have the keys of the same cluster. */
export async function unsealFiles(pki: string, keys: PublishedKeys): Promise<SharedFiles> {
  const key = await sealingKey(pki, keys.subject);
  try {
    const sealed = Buffer.from(keys.sealed, "base64");
    return unseal<{ files: SharedFiles }>(sealed, key, purposeOf(keys)).files;
  } catch (error) {
    const text = `the keys that ${keys.driver} has published are not for the keys of this server`;
    throw new Error(text, { cause: error });
  }
}

export const keysObject = ({ subject, driver, id, sealed }: PublishedKeys): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: keysName, namespace: keysNamespace },
  data: { subject, driver, id, keys: sealed },
});

/** The keys in such a ConfigMap; undefined if there are none. */
export function readKeysObject(object: unknown): PublishedKeys | undefined {
  const { data = {} } = object as { data?: Readonly<Record<string, string>> };
  const { subject, driver, id, keys: sealed } = data;
  if (!subject || !driver || !id || !sealed) return undefined;
  return { subject, driver, id, sealed };
}
