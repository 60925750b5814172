/** Upstream: Go's crypto/x509, verify.go. */
import { goQuote } from "../go/go-quote.ts";
import type { Certificate } from "./certificate.ts";
import { commonNameOf, organizationsOf } from "./subject.ts";
import { checkServerName } from "./verify-name.ts";

const purposes = {
  "client auth": "1.3.6.1.5.5.7.3.2",
  "server auth": "1.3.6.1.5.5.7.3.1",
} as const;
const anyPurpose = "2.5.29.37.0";
/** Limit of CAs between a certificate and its root. */
const maxChain = 10;
/** Limit of signature checks for one chain: many CAs of one name would cost too much. */
const maxSignatures = 100;

interface Verification {
  readonly now: number;
  /** The usage of the certificate. */
  readonly purpose: keyof typeof purposes;
  /** The name or address of the server. */
  readonly serverName?: string;
}

/**
 * Throws unless a certificate, the first of the chain, leads to one of the roots, all of it valid
 * now and for the purpose. A root is trusted as given: a server's own certificate, an intermediate,
 * or one of version 1. The messages are Go's.
 */
export function verifyChain(
  chain: readonly Certificate[],
  roots: readonly Certificate[],
  verification: Verification,
): void {
  const [leaf, ...intermediates] = chain;
  if (!leaf) throw new Error("x509: no certificate");
  checkLeaf(leaf, verification.now);
  if (verification.serverName !== undefined) checkServerName(leaf, verification.serverName);
  const search = new Search(intermediates, roots, verification.now);
  const chains = roots.some((root) => isSame(root, leaf)) ? [[leaf]] : search.chainsOf([leaf]);
  if (chains.length === 0) {
    throw new Error(`x509: certificate signed by unknown authority${search.hint}`);
  }
  if (!chains.some((found) => suits(found, purposes[verification.purpose]))) {
    throw new Error("x509: certificate specifies an incompatible key usage");
  }
}

function checkLeaf(leaf: Certificate, now: number): void {
  const problem = problemOf(leaf, now);
  if (problem !== undefined) throw new Error(problem);
}

/** The problem of a single certificate, at this time. */
function problemOf(
  { notBefore, notAfter, unknownCritical }: Certificate,
  now: number,
): string | undefined {
  if (unknownCritical !== undefined) return "x509: unhandled critical extension";
  const expired = "x509: certificate has expired or is not yet valid: current time";
  if (now < notBefore) return `${expired} ${timeText(now)} is before ${timeText(notBefore)}`;
  if (now > notAfter) return `${expired} ${timeText(now)} is after ${timeText(notAfter)}`;
  return undefined;
}

const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** Searches paths from a certificate to the roots. */
class Search {
  readonly #intermediates: readonly Certificate[];
  readonly #roots: readonly Certificate[];
  readonly #now: number;
  #signatures = 0;
  /** Why the first CA with the right name was not accepted, as Go adds it to its message. */
  hint = "";

  constructor(intermediates: readonly Certificate[], roots: readonly Certificate[], now: number) {
    this.#intermediates = intermediates;
    this.#roots = roots;
    this.#now = now;
  }

  chainsOf(chain: readonly Certificate[]): Certificate[][] {
    const child = chain.at(-1);
    if (!child || chain.length > maxChain) return [];
    const isParent = (one: Certificate): boolean =>
      one.subjectKey === child.issuerKey && !chain.some((link) => isSame(link, one));
    const found = this.#roots
      .filter((root) => isParent(root) && this.#accepts(root, chain, false))
      .map((root) => [...chain, root]);
    const further = this.#intermediates
      .filter((parent) => isParent(parent) && this.#accepts(parent, chain, true))
      .flatMap((parent) => this.chainsOf([...chain, parent]));
    return [...found, ...further];
  }

  #accepts(parent: Certificate, chain: readonly Certificate[], mustSay: boolean): boolean {
    if (++this.#signatures > maxSignatures) return false;
    const child = chain.at(-1);
    if (!child) return false;
    const problem =
      signatureProblem(child, parent) ??
      problemOf(parent, this.#now) ??
      authorityProblem(parent, chain.length - 1, mustSay);
    if (problem === undefined) return true;
    this.hint ||= ` (possibly because of ${goQuote(problem)} while trying to verify candidate authority certificate ${goQuote(nameOf(parent))})`;
    return false;
  }
}

function signatureProblem(child: Certificate, parent: Certificate): string | undefined {
  const { version, hasConstraints, isAuthority, maySignCertificates, x509 } = parent;
  // A certificate of version 1 has no constraints, and is a CA if it is a root.
  const mayNotSign = hasConstraints ? !isAuthority : version === 3;
  if (mayNotSign || maySignCertificates === false) {
    return "x509: invalid signature: parent certificate cannot sign this kind of certificate";
  }
  const insecure = insecureAlgorithms[child.signatureAlgorithm];
  if (insecure) return `x509: cannot verify signature: insecure algorithm ${insecure}`;
  const { publicKey } = x509;
  if (child.x509.verify(publicKey)) return undefined;
  return verificationFailures[publicKey.asymmetricKeyType ?? ""] ?? "x509: verification failure";
}

/** Insecure signature algorithms, by Go's names. */
const insecureAlgorithms: Readonly<Record<string, string>> = {
  "1.2.840.113549.1.1.4": "MD5-RSA",
  "1.2.840.113549.1.1.5": "SHA1-RSA",
  "1.2.840.10045.4.1": "ECDSA-SHA1",
};

const verificationFailures: Readonly<Record<string, string>> = {
  rsa: "crypto/rsa: verification error",
  ec: "x509: ECDSA verification failure",
  ed25519: "x509: Ed25519 verification failure",
};

function authorityProblem(
  { hasConstraints, isAuthority, pathLength }: Certificate,
  intermediates: number,
  mustSay: boolean,
): string | undefined {
  if (mustSay && !(hasConstraints && isAuthority)) {
    return "x509: certificate is not authorized to sign other certificates";
  }
  if (pathLength !== undefined && intermediates > pathLength) {
    return "x509: too many intermediates for path length constraint";
  }
  return undefined;
}

/** Whether no certificate of a chain forbids a purpose. */
const suits = (chain: readonly Certificate[], purpose: string): boolean =>
  chain.every(
    ({ purposes: allowed }) =>
      !allowed?.length || allowed.includes(anyPurpose) || allowed.includes(purpose),
  );

function nameOf({ subject, x509 }: Certificate): string {
  const name = commonNameOf(subject) || organizationsOf(subject)[0];
  return name || `serial:${BigInt(`0x${x509.serialNumber}`)}`;
}

const isSame = (a: Certificate, b: Certificate): boolean =>
  a.x509.fingerprint256 === b.x509.fingerprint256;
