/** Upstream: Go's crypto/tls and crypto/x509. */
import type { X509Certificate } from "node:crypto";
import { memoByKey } from "#/std/memory/memo.ts";
import { type Certificate, readCertificate } from "../x509/certificate.ts";
import { readPemBlocks } from "../x509/pem.ts";
import { verifyChain } from "../x509/verify-chain.ts";

/** Trusted certificates of a bundle, by Go's rules. */
export interface Trust {
  /** Equal for the same bundle. Connections are shared by it. */
  readonly key: string;
  readonly roots: readonly Certificate[];
}

/** Limit of cached parsed bundles: each webhook configuration may have its own. */
const maxBundles = 256;
let count = 0;

/** The certificates of a PEM bundle; other content is skipped. */
export function trustOf(bundle: string | Uint8Array): Trust {
  const text = typeof bundle === "string" ? bundle : Buffer.from(bundle).toString("latin1");
  return readTrust(text);
}

const readTrust = memoByKey(
  (text: string): Trust => ({ key: `trust-${++count}`, roots: readRoots(text) }),
  maxBundles,
);

function readRoots(text: string): Certificate[] {
  return readPemBlocks(text).flatMap(({ type, hasHeaders, der }) => {
    if (type !== "CERTIFICATE" || hasHeaders) return [];
    try {
      return [readCertificate(der)];
    } catch {
      return []; // Go skips it, too.
    }
  });
}

/** An untrusted server certificate, with the message of Go's TLS. */
export class UntrustedServer extends Error {
  override readonly name = "UntrustedServer";
  readonly code = "ERR_TLS_UNTRUSTED_SERVER";
}

/** What a server's certificate must be for: a name, or what a function does not refuse by an Error. */
type ServerCheck = string | ((certificate: Certificate) => void);

/**
 * Throws an UntrustedServer unless the server's certificate is for the name and leads to the trust.
 */
export function verifyServer(
  shown: X509Certificate | undefined,
  trust: Trust,
  check: ServerCheck,
  now: number,
): void {
  try {
    const chain: Certificate[] = [];
    for (let one = shown; one; one = one.issuerCertificate) chain.push(readCertificate(one.raw));
    const byName = typeof check === "string" ? { serverName: check } : {};
    verifyChain(chain, trust.roots, { now, purpose: "server auth", ...byName });
    if (typeof check === "function" && chain[0]) check(chain[0]);
  } catch (error) {
    throw new UntrustedServer(`tls: failed to verify certificate: ${(error as Error).message}`);
  }
}
