/** Upstream: pkg/apis/certificates/helpers.go. */
import { type CertificateRequest, readPemRequest } from "#/std/x509/certificate-request.ts";
import { commonNameOf, organizationsOf } from "#/std/x509/subject.ts";

const nodePrefix = "system:node:";

/** Reads the request of a CertificateSigningRequest: base64 of PEM. */
export const readRequest = (encoded: string | undefined): CertificateRequest =>
  readPemRequest(Buffer.from(encoded ?? "", "base64"));

const isSet = (usages: readonly string[], desired: readonly string[]): boolean =>
  new Set(usages).size === desired.length && desired.every((usage) => usages.includes(usage));

/** Why a subject is not that of a node; undefined if it is. */
function subjectProblem({ subject }: CertificateRequest): string | undefined {
  const organizations = organizationsOf(subject);
  if (organizations.length !== 1 || organizations[0] !== "system:nodes") {
    return "subject organization is not system:nodes";
  }
  return undefined;
}

/** The problem of a request for a kubelet's client certificate; undefined if there is none. */
export function kubeletClientProblem(
  request: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  const { dns, emails, ips, uris } = request.names;
  if (subjectProblem(request)) return subjectProblem(request);
  if (dns.length > 0) return "DNS subjectAltNames are not allowed";
  if (emails.length > 0) return "Email subjectAltNames are not allowed";
  if (ips.length > 0) return "IP subjectAltNames are not allowed";
  if (uris.length > 0) return "URI subjectAltNames are not allowed";
  if (!commonNameOf(request.subject).startsWith(nodePrefix)) {
    return "subject common name does not begin with system:node:";
  }
  const allowed = ["client auth", "digital signature", "key encipherment"];
  if (isSet(usages, allowed) || isSet(usages, allowed.slice(0, 2))) return undefined;
  return `usages did not match [${allowed.join(" ")}]`;
}

/** The problem of a request for a kubelet's serving certificate; undefined if there is none. */
export function kubeletServingProblem(
  request: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  const { dns, emails, ips, uris } = request.names;
  if (subjectProblem(request)) return subjectProblem(request);
  if (dns.length < 1 && ips.length < 1) return "DNS or IP subjectAltName is required";
  if (emails.length > 0) return "Email subjectAltNames are not allowed";
  if (uris.length > 0) return "URI subjectAltNames are not allowed";
  const allowed = ["digital signature", "key encipherment", "server auth"];
  if (!isSet(usages, allowed) && !isSet(usages, ["digital signature", "server auth"])) {
    return `usages did not match [${allowed.join(" ")}]`;
  }
  if (!commonNameOf(request.subject).startsWith(nodePrefix)) {
    return "subject common name does not begin with system:node:";
  }
  return undefined;
}
