import { type KeyObject, X509Certificate } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { CertificateSigningRequest } from "#/api/certificates/v1.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { createCertificateRequest } from "#/std/x509/create-request.ts";
import { generateKey, keyPem } from "#/std/x509/signing-key.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { ServerSession } from "./server-session.ts";

interface UserRequest {
  readonly name: string;
  readonly groups: readonly string[];
  readonly validSeconds: number;
  readonly clock?: Clock;
}

/** A user's certificate and key, as PEM. */
interface UserCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** What is needed of a session. */
type Session = Pick<ServerSession, "ask" | "json">;

/** Limit of the wait for the signer (ms), and the interval of looks. */
const signedMs = 30_000;
const lookMs = 100;
/** Limit of attempts to approve (count): each fails only if another client has written the request meanwhile. */
const maxAttempts = 10;

const resource = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/** Has the cluster sign a certificate of a user, through its API: the key never leaves this process. */
export async function requestUserCertificate(
  session: Session,
  { name, groups, validSeconds, clock = systemClock }: UserRequest,
): Promise<UserCertificate> {
  // All clients read RSA keys.
  const key = generateKey("rsa");
  const subject = { commonName: name, organizations: groups };
  const value = {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { generateName: "k8ts-user-" },
    spec: {
      request: Buffer.from(createCertificateRequest({ subject, key })).toString("base64"),
      signerName: "kubernetes.io/kube-apiserver-client",
      expirationSeconds: validSeconds,
      usages: ["client auth", "digital signature"],
    },
  };
  const made = await session.json<CertificateSigningRequest>("POST", resource, { value });
  try {
    await approve(session, made, clock);
    return { certificate: await signed(session, made, key, clock), key: keyPem(key) };
  } finally {
    const { uid } = made.metadata;
    await session.ask("DELETE", pathOf(made), { value: { preconditions: { uid } } });
  }
}

const pathOf = ({ metadata }: CertificateSigningRequest): string => `${resource}/${metadata.name}`;

/**
 * Approves this request, as it was made: a name alone does not say whose it is. Another client may have removed the request
 * and made another of its name.
 */
async function approve(
  session: Session,
  made: CertificateSigningRequest,
  clock: Clock,
): Promise<void> {
  let present = made;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const now = new Date(clock.now()).toISOString();
    const condition = {
      type: "Approved",
      status: "True",
      reason: "K8tsUserAdd",
      message: "This CSR was approved by k8ts user add.",
      lastUpdateTime: now,
    };
    const conditions = [...(present.status?.conditions ?? []), condition];
    // With its uid and resourceVersion, the write is refused if the request is no longer this one.
    const value = { ...present, status: { ...present.status, conditions } };
    const path = `${pathOf(made)}/approval`;
    const { status, text } = await session.ask("PUT", path, { value });
    if (status < 300) return;
    if (status !== 409) throw new CommandFailure(`PUT ${path}: ${status} ${text.slice(0, 300)}`);
    present = await read(session, made);
  }
  throw new CommandFailure(`${pathOf(made)} was changed by others, again and again`);
}

/** The request as it is now. Rejects if it is another one. */
async function read(
  session: Session,
  made: CertificateSigningRequest,
): Promise<CertificateSigningRequest> {
  const found = await session.json<CertificateSigningRequest>("GET", pathOf(made));
  const isSame = found.metadata.uid === made.metadata.uid;
  if (isSame && isDeepStrictEqual(found.spec, made.spec)) return found;
  throw new CommandFailure(
    `the certificate request ${made.metadata.name} was replaced by another one: nothing is signed`,
  );
}

/** The certificate, once it is there. */
async function signed(
  session: Session,
  made: CertificateSigningRequest,
  key: KeyObject,
  clock: Clock,
): Promise<string> {
  const endMs = clock.monotonicMs() + signedMs;
  for (;;) {
    const { status } = await read(session, made);
    if (status?.certificate) {
      const certificate = Buffer.from(status.certificate, "base64").toString("utf8");
      if (new X509Certificate(certificate).checkPrivateKey(key)) return certificate;
      throw new CommandFailure("the certificate that was signed is not for the key of the user");
    }
    const refused = status?.conditions?.find(({ type }) => type === "Denied" || type === "Failed");
    if (refused) throw new CommandFailure(`${refused.type}: ${refused.message ?? ""}`);
    if (clock.monotonicMs() > endMs) {
      throw new CommandFailure(`the certificate was not signed in ${signedMs / 1000} s`);
    }
    await clock.sleep(lookMs);
  }
}
