/** Upstream: pkg/controller/certificates/{signer,authority}. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
} from "#/api/certificates/v1.ts";
import { type ControllerContext, controller } from "#/controller/controller.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { CertificateRequest } from "#/std/x509/certificate-request.ts";
import { issueCertificate } from "#/std/x509/issue-certificate.ts";
import { readKey } from "#/std/x509/signing-key.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { kubeletClientProblem, kubeletServingProblem, readRequest } from "./kubelet-requests.ts";

type Flags = ManagerOptions["flags"];

/** A signer: its allowed usages and its CA. */
interface Signer {
  readonly files: readonly [cert: keyof Flags, key: keyof Flags];
  readonly problem: (request: CertificateRequest, usages: readonly string[]) => string | undefined;
}

const signers: Readonly<Record<string, Signer>> = {
  "kubernetes.io/kubelet-serving": {
    files: [
      "cluster-signing-kubelet-serving-cert-file",
      "cluster-signing-kubelet-serving-key-file",
    ],
    problem: kubeletServingProblem,
  },
  "kubernetes.io/kube-apiserver-client-kubelet": {
    files: ["cluster-signing-kubelet-client-cert-file", "cluster-signing-kubelet-client-key-file"],
    problem: kubeletClientProblem,
  },
  "kubernetes.io/kube-apiserver-client": {
    files: [
      "cluster-signing-kube-apiserver-client-cert-file",
      "cluster-signing-kube-apiserver-client-key-file",
    ],
    problem: (_, usages) => clientUsageProblem(usages),
  },
  "kubernetes.io/legacy-unknown": {
    files: ["cluster-signing-legacy-unknown-cert-file", "cluster-signing-legacy-unknown-key-file"],
    problem: () => undefined,
  },
};

function clientUsageProblem(usages: readonly string[]): string | undefined {
  const allowed = ["digital signature", "key encipherment", "client auth"];
  const other = usages.find((usage) => !allowed.includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  if (usages.includes("client auth")) return undefined;
  return "missing required usage for client certificate: client auth";
}

const minuteMs = 60 * 1000;
const minTtlMs = 10 * minuteMs;
/** Certificates are valid from a little before (ms), as clocks differ. */
const backdateMs = 5 * minuteMs;
/** Lifetime (ms) up to which a certificate is not shortened by the backdating. */
const shortMs = 8 * 60 * minuteMs;

/** Signs approved requests for Kubernetes' own signers. */
export const csrSigningController = controller<CertificateSigningRequest, ManagerOptions>({
  name: "certificatesigningrequest-signing-controller",
  for: certificateSigningRequests,
  queue: "certificate",
  retry: { backoff: exponentialBackoff({ baseMs: 200, maxMs: 1_000_000 }) },
  workers: 5,
  async reconcile(request, context) {
    const { spec, status } = request;
    const conditions = status?.conditions ?? [];
    const isApproved = hasCondition(conditions, "Approved") && !hasCondition(conditions, "Denied");
    const signer = signers[spec.signerName];
    if (!signer || !isApproved || status?.certificate || hasCondition(conditions, "Failed")) return;
    const authority = authorityFiles(signer, context.options.flags);
    if (!authority) return;
    const asked = readRequest(spec.request);
    const problem = signer.problem(asked, spec.usages ?? []);
    if (problem !== undefined) return await recordFailure(request, problem, context);
    const certificate = sign(request, asked, authority, context);
    await context.client.updateStatus(certificateSigningRequests, {
      ...request,
      status: { ...status, certificate: Buffer.from(certificate).toString("base64") },
    });
  },
});

/** A signer's own CA files, or those for all signers; undefined if there are none. */
function authorityFiles({ files }: Signer, flags: Flags) {
  const own = files.map((name) => String(flags[name]));
  const shared = [flags["cluster-signing-cert-file"], flags["cluster-signing-key-file"]];
  const [certFile = "", keyFile = ""] = own.every((file) => file !== "") ? own : shared;
  return certFile === "" || keyFile === "" ? undefined : { certFile, keyFile };
}

function sign(
  { spec }: CertificateSigningRequest,
  asked: CertificateRequest,
  { certFile, keyFile }: { certFile: string; keyFile: string },
  { clock, options }: ControllerContext<ManagerOptions>,
): string {
  // Read each time: CAs change, and requests are few.
  const certificate = readFileSync(certFile, "utf8");
  const signerEndMs = new X509Certificate(certificate).validToDate.getTime();
  const now = clock.now();
  if (now >= signerEndMs) throw new Error(`the signer has expired: NotAfter=${signerEndMs}`);
  const longest = options.flags["cluster-signing-duration"];
  const requested = spec.expirationSeconds === undefined ? longest : spec.expirationSeconds * 1000;
  const ttl = Math.min(Math.max(requested, minTtlMs), longest);
  const endMs = now + (ttl < shortMs ? ttl : ttl - backdateMs);
  const key = readKey(readFileSync(keyFile));
  // They are being replaced, one after the other.
  if (!new X509Certificate(certificate).checkPrivateKey(key)) {
    throw new Error(`${certFile} and ${keyFile} don't match`);
  }
  return issueCertificate(
    {
      subject: asked.subjectBytes,
      publicKey: asked.publicKey,
      names: asked.names,
      usages: spec.usages ?? [],
      notBefore: now - backdateMs,
      notAfter: Math.min(endMs, signerEndMs),
    },
    { certificate, key },
  );
}

async function recordFailure(
  request: CertificateSigningRequest,
  message: string,
  { client, clock }: ControllerContext<ManagerOptions>,
): Promise<void> {
  const now = formatTime(clock.now());
  const failed = {
    type: "Failed",
    status: "True",
    reason: "SignerValidationFailure",
    message,
    lastUpdateTime: now,
    lastTransitionTime: now,
  };
  const conditions = [...(request.status?.conditions ?? []), failed];
  await client.updateStatus(certificateSigningRequests, {
    ...request,
    status: { ...request.status, conditions },
  });
}
