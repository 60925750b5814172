import { X509Certificate } from "node:crypto";
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from "#/api/certificates/v1.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { repeatedIndices } from "#/std/base/by-key.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { readPemRequest } from "#/std/x509/certificate-request.ts";
import { readPemBlocks } from "#/std/x509/pem.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { validateSignerName } from "../core/pod-spec/volumes/projected-certificates.ts";
import { FieldReport } from "../rules/field-report.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";

type Request = Decoded<CertificateSigningRequest>;

/** Upstream: pkg/apis/certificates/validation/validation.go. */
const specPath = fieldPath("spec");
const statusPath = fieldPath("status");
const conditionsPath = statusPath.child("conditions");
const usagesPath = specPath.child("usages");
const legacySigner = "kubernetes.io/legacy-unknown";
const minExpirationSeconds = 600;
const usages: readonly string[] = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];
const finalTypes = ["Approved", "Denied", "Failed"];

/** Validation errors of a request; old is the request that an update replaces. */
export function validateSigningRequest(
  { metadata, spec, status }: Request,
  old: Request | undefined,
): FieldError[] {
  const report = new FieldReport();
  report.add(validateClusterMeta(metadata, () => []));
  const problem = requestProblem(spec.request);
  if (problem !== undefined) report.invalid(specPath, "request", spec.request ?? null, problem);
  validateUsages(report, spec.usages ?? [], old?.spec.usages ?? []);
  if (spec.signerName === legacySigner && old?.spec.signerName !== legacySigner) {
    const detail = "the legacy signerName is not allowed via this API version";
    report.invalid(specPath, "signerName", spec.signerName, detail);
  } else validateSignerName(report, specPath, "signerName", spec.signerName ?? "");
  const { expirationSeconds } = spec;
  if (expirationSeconds !== undefined && expirationSeconds < minExpirationSeconds) {
    const detail = "may not specify a duration less than 600 seconds (10 minutes)";
    report.invalid(specPath, "expirationSeconds", expirationSeconds, detail);
  }
  const { conditions = [] } = status ?? {};
  const isContradictory = validateConditions(report, conditions, old?.status?.conditions ?? []);
  validateCertificate(report, status?.certificate ?? "", old);
  if (isContradictory) {
    const members = ["Approved", "Denied"].map((type) => `conditions[{"type": "${type}"}]`);
    const detail = `must specify at most one of: ${members.map((member) => `\`${member}\``).join(", ")}`;
    report.invalid(conditionsPath, "", `{${members.join(", ")}}`, detail);
  }
  return report.errors;
}

function requestProblem(request: string | undefined): string | undefined {
  try {
    return readPemRequest(Buffer.from(request ?? "", "base64")).signatureProblem;
  } catch (error) {
    return (error as Error).message;
  }
}

function validateUsages(
  report: FieldReport,
  now: readonly string[],
  before: readonly string[],
): void {
  if (now.length === 0) report.required(specPath, "usages");
  if (before.every((usage) => usages.includes(usage))) {
    now.forEach((usage, index) => {
      if (!usages.includes(usage)) report.notSupported(usagesPath.index(index), "", usage, usages);
    });
  }
  if (new Set(before).size < before.length) return;
  for (const index of repeatedIndices(now)) {
    report.duplicate(usagesPath.index(index), "", now[index]);
  }
}

type Conditions = readonly CertificateSigningRequestCondition[];

/** Whether the request is now both approved and denied, and was not before; this error is reported last. */
function validateConditions(report: FieldReport, now: Conditions, before: Conditions): boolean {
  const types = now.map(({ type }) => type);
  const oldTypes = before.map(({ type }) => type);
  const mayRepeat = new Set(oldTypes).size < oldTypes.length;
  const mayBeEmpty = oldTypes.includes("");
  const repeated = repeatedIndices(types);
  now.forEach(({ type, status }, index) => {
    const path = conditionsPath.index(index);
    if (type === "" && !mayBeEmpty) report.required(path, "type");
    const allowed = finalTypes.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    if (!status) report.required(path, "status");
    else if (!allowed.includes(status)) report.notSupported(path, "status", status, allowed);
    if (!mayRepeat && repeated.has(index)) report.duplicate(path, "type", type);
  });
  const isBoth = types.includes("Approved") && types.includes("Denied");
  return isBoth && !(oldTypes.includes("Approved") && oldTypes.includes("Denied"));
}

function validateCertificate(
  report: FieldReport,
  certificate: string,
  old: Request | undefined,
): void {
  if (old && (old.status?.certificate ?? "") === certificate) return;
  if (old && certificateProblem(old.status?.certificate ?? "") !== undefined) return;
  const problem = certificateProblem(certificate);
  if (problem === undefined) return;
  report.invalid(statusPath, "certificate", "<certificate data>", problem);
}

function certificateProblem(certificate: string): string | undefined {
  if (certificate === "") return undefined;
  const blocks = readPemBlocks(Buffer.from(certificate, "base64").toString("latin1"));
  for (const { type, hasHeaders, der } of blocks) {
    if (type !== "CERTIFICATE")
      return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(type)}`;
    if (hasHeaders) return "no PEM block headers are permitted";
    if (der.length === 0) return "found CERTIFICATE PEM block containing 0 certificates";
    try {
      new X509Certificate(der);
    } catch {
      return "x509: malformed certificate";
    }
  }
  return blocks.length === 0 ? "must contain at least one CERTIFICATE PEM block" : undefined;
}

/** The parts of the status that an endpoint may write. */
interface Rights {
  readonly approval: boolean;
  readonly certificate: boolean;
}

/** Validation errors of an update of a request. */
export function validateSigningRequestUpdate(
  object: Request,
  old: Request,
  rights: Rights,
): FieldError[] {
  const report = new FieldReport();
  report.add(validateSigningRequest(object, old));
  const count = (request: Request, conditionType: string) =>
    (request.status?.conditions ?? []).filter(({ type }) => type === conditionType);
  for (const type of finalTypes) {
    if (count(object, type).length >= count(old, type).length) continue;
    const detail = `updates may not remove a condition of type ${goQuote(type)}`;
    report.forbidden(statusPath, "conditions", detail);
  }
  for (const type of rights.approval ? [] : ["Approved", "Denied"]) {
    const [now, before] = [count(object, type), count(old, type)];
    if (now.length < before.length || deepEqual(now, before)) continue;
    const change = now.length > before.length ? "add" : "modify";
    const detail = `updates may not ${change} a condition of type ${goQuote(type)}`;
    report.forbidden(statusPath, "conditions", detail);
  }
  const before = old.status?.certificate ?? "";
  if ((object.status?.certificate ?? "") !== before) {
    if (!rights.certificate) {
      report.forbidden(statusPath, "certificate", "updates may not set certificate content");
    } else if (before !== "") {
      const detail = "updates may not modify existing certificate content";
      report.forbidden(statusPath, "certificate", detail);
    }
  }
  report.add(validateMetaUpdate(object.metadata, old.metadata));
  return report.errors;
}
