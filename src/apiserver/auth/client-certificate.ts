import { goQuote } from "#/std/go/go-quote.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type Certificate, readCertificate } from "#/std/x509/certificate.ts";
import { commonNameOf, organizationsOf } from "#/std/x509/subject.ts";
import { verifyChain } from "#/std/x509/verify-chain.ts";
import type { Authenticator } from "../model/authenticator.ts";
import type { Peer, UserInfo } from "../model/exchange.ts";

const userUid = "1.3.6.1.4.1.57683.2";

/** The trusted authorities; a new list each time their file has changed. */
type Roots = () => readonly Certificate[];

/** Verifies the certificates of connections, each once as long as the authorities are the same. */
export class PeerVerifier {
  readonly #roots: Roots;
  readonly #clock: Clock;
  /** The last result for each connection. Not a memo: it depends on time and on the authorities as well. */
  readonly #verified = new WeakMap<Peer, Verified>();

  constructor(roots: Roots, clock: Clock) {
    this.#roots = roots;
    this.#clock = clock;
  }

  /** The client's verified certificate; undefined if it sent none. Throws if it is not trusted. */
  verify(peer: Peer): Certificate | undefined {
    if (peer.certificates.length === 0) return undefined;
    const roots = this.#roots();
    const now = this.#clock.now();
    const known = this.#verified.get(peer);
    const result =
      known?.roots === roots && now < known.until ? known : this.#examine(peer, roots, now);
    if ("error" in result) throw result.error;
    return result.certificate;
  }

  #examine(peer: Peer, roots: readonly Certificate[], now: number): Verified {
    const result = examine(peer, roots, now);
    this.#verified.set(peer, result);
    return result;
  }
}

/** How long (ms) a certificate stays refused: time may make it valid. A front proxy's check refuses those of all others. */
const refusalMs = 10_000;

function examine({ certificates }: Peer, roots: readonly Certificate[], now: number): Verified {
  try {
    const chain = certificates.map(readCertificate);
    const [certificate] = chain;
    verifyChain(chain, roots, { now, purpose: "client auth" });
    return { roots, until: Math.min(...chain.map(({ notAfter }) => notAfter)), certificate };
  } catch (error) {
    return { roots, until: now + refusalMs, error };
  }
}

/** The result of a verification. After `until` the chain is verified again. */
type Verified = {
  readonly roots: readonly Certificate[];
  readonly until: number;
} & ({ readonly certificate: Certificate | undefined } | { readonly error: unknown });

/**
 * Authenticates by client certificate: CN is the user, each O a group.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/authentication/request/x509/x509.go.
 */
export function clientCertificate(verifier: PeerVerifier): Authenticator {
  const userWith = memoByIdentity(userOf);
  return {
    name: "x509",
    authenticate({ peer }) {
      const certificate = verifier.verify(peer);
      return certificate && userWith(certificate);
    },
  };
}

function userOf(certificate: Certificate): UserInfo | undefined {
  const name = commonNameOf(certificate.subject);
  if (name === "") return undefined;
  const uid = uidOf(certificate);
  const fingerprint = certificate.x509.fingerprint256.replaceAll(":", "").toLowerCase();
  return {
    name,
    ...(uid === undefined ? {} : { uid }),
    groups: organizationsOf(certificate.subject),
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
  };
}

function uidOf({ subject }: Certificate): string | undefined {
  const uids = subject.filter(({ oid }) => oid === userUid);
  if (uids.length === 0) return undefined;
  if (uids.length > 1) {
    const list = uids.map(({ value = "" }) => goQuote(value)).join(" ");
    throw new Error(`expected 1 UID, but found multiple: [${list}]`);
  }
  const [uid] = uids;
  if (uid?.value === undefined) throw new Error("unable to parse UID into a string");
  if (uid.value === "") throw new Error("UID cannot be an empty string");
  return uid.value;
}
