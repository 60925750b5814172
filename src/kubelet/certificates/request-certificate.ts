/** Upstream: k8s.io/client-go/util/certificate/csr/csr.go. */
import type { KeyObject } from "node:crypto";
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
  type KeyUsage,
} from "#/api/certificates/v1.ts";
import type { Client } from "#/client/client.ts";
import type { Clock } from "#/std/time/clock.ts";
import { createCertificateRequest } from "#/std/x509/create-request.ts";
import type { AlternativeNames, Subject } from "#/std/x509/issue-certificate.ts";

export interface CertificateParameters {
  /** `kubernetes.io/kube-apiserver-client-kubelet`. */
  readonly signerName: string;
  readonly usages: readonly KeyUsage[];
  readonly subject: Subject;
  readonly names?: AlternativeNames;
  readonly key: KeyObject;
}

/** Delay before a watch that ended without an answer is started again (ms). */
const retryMs = 1_000;

/** Requests a certificate from the cluster and waits for it without a limit. Throws if it is denied. */
export async function requestCertificate(
  client: Client,
  parameters: CertificateParameters,
  clock: Clock,
  signal: AbortSignal,
): Promise<string> {
  const { signerName, usages, subject, names, key } = parameters;
  const request = createCertificateRequest({ subject, key, ...(names && { names }) });
  const created = await client.create(certificateSigningRequests, {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { generateName: "csr-" },
    spec: { request: Buffer.from(request).toString("base64"), signerName, usages: [...usages] },
  });
  const name = created.metadata.name ?? "";
  for (;;) {
    signal.throwIfAborted();
    const current = await client.get(certificateSigningRequests, { name });
    checkSame(created, current);
    const answer = answerOf(current) ?? (await watchForAnswer(client, current, signal));
    if (answer !== undefined) return answer;
    await clock.sleep(retryMs, signal);
  }
}

/** A request of the same name may be that of another client: its certificate is for another key. */
function checkSame(
  { metadata: { uid } }: CertificateSigningRequest,
  { metadata }: CertificateSigningRequest,
): void {
  if (metadata.uid !== uid) throw new Error(`csr "${metadata.name}" changed UIDs`);
}

/** The certificate, once it is issued. Throws if the request is denied or has failed. */
function answerOf({ metadata, status }: CertificateSigningRequest): string | undefined {
  for (const { type, reason = "", message = "" } of status?.conditions ?? []) {
    if (type === "Denied" || type === "Failed") {
      const how = type === "Denied" ? "denied" : "failed";
      throw new Error(
        `certificate signing request ${metadata.name} is ${how}, reason: ${reason}, message: ${message}`,
      );
    }
  }
  return status?.certificate ? Buffer.from(status.certificate, "base64").toString() : undefined;
}

async function watchForAnswer(
  client: Client,
  current: CertificateSigningRequest,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { metadata } = current;
  const options = {
    fieldSelector: `metadata.name=${metadata.name}`,
    ...(metadata.resourceVersion && { resourceVersion: metadata.resourceVersion }),
    signal,
  };
  for await (const event of client.watch(certificateSigningRequests, options)) {
    if (event.type === "BOOKMARK") continue;
    checkSame(current, event.object);
    const answer = answerOf(event.object);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
