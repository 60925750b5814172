import type { Certificate } from "./certificate.ts";

const clientAuth = "1.3.6.1.5.5.7.3.2";
const anyPurpose = "2.5.29.37.0";
/** Chains longer than this are not looked at. */
const maxChain = 10;

/**
 * Throws unless a client's certificate leads to one of the roots, all of it valid now and made for clients.
 *
 * Upstream: Go's crypto/x509 with ExtKeyUsageClientAuth, as apiserver/pkg/authentication/request/x509 uses it.
 */
export function verifyChain(
  chain: readonly Certificate[],
  roots: readonly Certificate[],
  now: number,
): void {
  const [leaf, ...intermediates] = chain;
  if (!leaf) throw new Error("x509: no certificate");
  checkOne(leaf, now);
  if (roots.some((root) => isSame(root, leaf))) return;
  if (!findPath(leaf, { intermediates, roots, now, depth: 0, used: new Set() })) {
    throw new Error("x509: certificate signed by unknown authority");
  }
}

function checkOne({ notBefore, notAfter, purposes, unknownCritical }: Certificate, now: number) {
  // Times in certificates have whole seconds, and the last one counts.
  if (!(now >= notBefore && now < notAfter + 1000)) {
    throw new Error("x509: certificate has expired or is not yet valid");
  }
  if (purposes && !purposes.includes(clientAuth) && !purposes.includes(anyPurpose)) {
    throw new Error("x509: certificate specifies an incompatible key usage");
  }
  if (unknownCritical !== undefined) throw new Error("x509: unhandled critical extension");
}

interface Search {
  readonly intermediates: readonly Certificate[];
  readonly roots: readonly Certificate[];
  readonly now: number;
  /** Authorities between the client's certificate and this one. */
  readonly depth: number;
  readonly used: ReadonlySet<Certificate>;
}

function findPath(child: Certificate, search: Search): boolean {
  const { intermediates, roots, depth, used } = search;
  if (depth > maxChain) return false;
  if (roots.some((root) => mayHaveSigned(root, child, search))) return true;
  return intermediates.some(
    (parent) =>
      !used.has(parent) &&
      mayHaveSigned(parent, child, search) &&
      findPath(parent, { ...search, depth: depth + 1, used: new Set([...used, parent]) }),
  );
}

function mayHaveSigned(parent: Certificate, child: Certificate, { now, depth }: Search): boolean {
  const { isAuthority, maySignCertificates, pathLength, x509 } = parent;
  if (!isAuthority || maySignCertificates === false) return false;
  if (pathLength !== undefined && depth > pathLength) return false;
  if (!child.x509.checkIssued(x509) || !child.x509.verify(x509.publicKey)) return false;
  try {
    checkOne(parent, now);
    return true;
  } catch {
    return false; // Another parent may be better.
  }
}

const isSame = (a: Certificate, b: Certificate): boolean =>
  a.x509.fingerprint256 === b.x509.fingerprint256;
