import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { readPemBlocks } from "#/std/x509/pem.ts";

/**
 * Whether a certificate and a private key match, with the messages of Go's tls.X509KeyPair.
 *
 * Upstream: Go's crypto/tls/tls.go.
 */
export function keyPairProblem(certificatePem: string, keyPem: string): string | undefined {
  const blocks = readPemBlocks(certificatePem);
  const certificate = blocks.find(({ type }) => type === "CERTIFICATE");
  if (!certificate) return noCertificate(blocks.map(({ type }) => type));
  const keyBlocks = readPemBlocks(keyPem);
  const key = keyBlocks.find(({ type }) => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY"));
  if (!key) return noKey(keyBlocks.map(({ type }) => type));
  const publicKey = attempt(() => new X509Certificate(certificate.der).publicKey);
  if (!publicKey) return "x509: malformed certificate";
  const privateKey = attempt(() => parseKey(key.der));
  if (!privateKey) return "tls: failed to parse private key";
  if (privateKey.asymmetricKeyType !== publicKey.asymmetricKeyType) {
    return "tls: private key type does not match public key type";
  }
  if (createPublicKey(privateKey).equals(publicKey)) return undefined;
  return "tls: private key does not match public key";
}

function noCertificate(skipped: readonly string[]): string {
  const [first] = skipped;
  if (first === undefined) return "tls: failed to find any PEM data in certificate input";
  if (skipped.length === 1 && first.endsWith("PRIVATE KEY")) {
    return "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${skipped.join(" ")}]`;
}

function noKey(skipped: readonly string[]): string {
  const [first] = skipped;
  if (first === undefined) return "tls: failed to find any PEM data in key input";
  if (skipped.length === 1 && first === "CERTIFICATE") {
    return "tls: found a certificate rather than a key in the PEM for the private key";
  }
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${skipped.join(" ")}]`;
}

const keyFormats = ["pkcs1", "pkcs8", "sec1"] as const;

/** Go tries every key format, whatever the type of the PEM block. */
function parseKey(der: Buffer): KeyObject | undefined {
  for (const type of keyFormats) {
    const key = attempt(() => createPrivateKey({ key: der, format: "der", type }));
    if (key) return key;
  }
  return undefined;
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined; // The data has another format.
  }
}
