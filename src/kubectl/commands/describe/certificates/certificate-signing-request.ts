/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { CertificateSigningRequest } from "#/api/certificates/v1.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { type CertificateRequest, readCertificateRequest } from "#/std/x509/certificate-request.ts";
import { readPemBlocks } from "#/std/x509/pem.ts";
import { CommandError, messageOf } from "../../../base/errors.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { type Description, labelLine, longTime } from "../parts/description.ts";

const describeRequest: Describer = (to, { object }) => {
  const { metadata, spec, status } = object as unknown as CertificateSigningRequest;
  const request = readRequest(spec.request);
  to.field(0, "Name", metadata?.name ?? "");
  to.field(0, "Labels", labelLine(metadata?.labels));
  to.field(0, "Annotations", labelLine(metadata?.annotations));
  to.field(0, "CreationTimestamp", longTime(metadata?.creationTimestamp));
  to.field(0, "Requesting User", spec.username ?? "");
  if (spec.signerName) to.field(0, "Signer", spec.signerName);
  if (spec.expirationSeconds !== undefined) {
    to.field(0, "Requested Duration", humanDuration(spec.expirationSeconds * 1000));
  }
  to.field(0, "Status", statusText(status));
  describeSubject(to, request);
  const { dns, emails, uris, ips } = request.names;
  if (dns.length + emails.length + uris.length + ips.length === 0) return;
  to.write(0, "Subject Alternative Names:\n");
  list(to, "DNS Names", dns);
  list(to, "Email Addresses", emails);
  list(to, "URIs", uris);
  list(to, "IP Addresses", ips);
};

function readRequest(encoded: string | undefined): CertificateRequest {
  const pem = Buffer.from(encoded ?? "", "base64").toString("latin1");
  const block = readPemBlocks(pem).find(({ type }) => type === "CERTIFICATE REQUEST");
  try {
    if (!block) throw new Error("PEM block type must be CERTIFICATE REQUEST");
    return readCertificateRequest(block.der);
  } catch (error) {
    throw new CommandError(`Error parsing CSR: ${messageOf(error)}`, { cause: error });
  }
}

function statusText(status: CertificateSigningRequest["status"]): string {
  const has = (type: string): boolean =>
    status?.conditions?.some((condition) => condition.type === type) ?? false;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
}

/** Fields of a subject that may be repeated, in the order of the output. */
const lists: readonly (readonly [title: string, oid: string])[] = [
  ["Organization", "2.5.4.10"],
  ["Organizational Unit", "2.5.4.11"],
  ["Country", "2.5.4.6"],
  ["Locality", "2.5.4.7"],
  ["Province", "2.5.4.8"],
  ["StreetAddress", "2.5.4.9"],
  ["PostalCode", "2.5.4.17"],
];

function describeSubject(to: Description, { subject }: CertificateRequest): void {
  const values = (wanted: string): string[] =>
    subject.flatMap(({ oid, value }) => (oid === wanted && value !== undefined ? value : []));
  to.write(0, "Subject:\n");
  to.write(0, `\tCommon Name:\t${values("2.5.4.3").at(-1) ?? ""}\n`);
  to.write(0, `\tSerial Number:\t${values("2.5.4.5").at(-1) ?? ""}\n`);
  for (const [title, oid] of lists) list(to, title, values(oid));
}

function list(to: Description, title: string, values: readonly string[]): void {
  if (values.length > 0) to.write(0, `\t${title}:\t${values.join("\n\t\t")}\n`);
}

export const certificateSigningRequest: KindDescriber = { describe: describeRequest };
