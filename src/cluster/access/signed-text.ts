import { type KeyObject, sign, verify, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readKey } from "#/std/x509/signing-key.ts";

/*
 * What nodes follow without asking the user (their authorities, requests of an upgrade) gives root on them. It is in
 * ConfigMaps, which more users may write than that: nodes follow it only with a signature of the cluster's authority,
 * whose key only the machines of servers have.
 */

/** What a signature is for: a text of one purpose is none of another. */
type Purpose = "authorities of nodes" | "upgrade of a node";

/** Not the start of any certificate, which the same key signs as well. */
const message = (purpose: Purpose, text: string): Buffer =>
  Buffer.from(`k8ts.dev/signed-text/v1\n${purpose}\n${text}`);

const digestOf = ({ asymmetricKeyType }: KeyObject): "sha256" | null =>
  asymmetricKeyType === "ed25519" ? null : "sha256";

/** Signs a text as the authority that signs now; in base64. */
export async function signText(pki: string, purpose: Purpose, text: string): Promise<string> {
  const key = readKey(await readFile(join(pki, "ca.key")));
  return sign(digestOf(key), message(purpose, text), key).toString("base64");
}

/** Whether one of the authorities in a PEM has signed a text for a purpose. */
export function isSignedText(
  authorities: string,
  purpose: Purpose,
  { text, signature }: { readonly text: string; readonly signature: string },
): boolean {
  const given = Buffer.from(signature, "base64");
  const blocks =
    authorities.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.some((pem) => {
    const { publicKey: key } = new X509Certificate(pem);
    return verify(digestOf(key), message(purpose, text), key, given);
  });
}
