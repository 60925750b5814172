import { createHash, X509Certificate } from "node:crypto";

/** The pin of an authority in kubeadm's format: the digest of its public key. */
export function caHash(certificate: string): string {
  const { publicKey } = new X509Certificate(certificate);
  const der = publicKey.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(der).digest("hex")}`;
}
