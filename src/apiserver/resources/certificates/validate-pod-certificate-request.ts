import { createPublicKey, createVerify, type KeyObject, verify } from "node:crypto";
import type { PodCertificateRequest } from "#/api/certificates/v1beta1.ts";
import { type FieldError, invalid, tooLong } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isLongerThan, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { table } from "#/std/base/table.ts";
import { type CertificateRequest, readCertificateRequest } from "#/std/x509/certificate-request.ts";
import type { Decoded } from "../../registry/strategy.ts";
import {
  isKubernetesSigner,
  validateSignerName,
  validateUserAnnotations,
} from "../core/pod-spec/volumes/projected-certificates.ts";
import { FieldReport } from "../rules/field-report.ts";
import { validateNamespacedMeta } from "../rules/object-meta-rules.ts";

/** A request as hooks see it. */
export type Request = Decoded<PodCertificateRequest>;

/** Upstream: pkg/apis/certificates/validation/validation.go. */
const specPath = fieldPath("spec");
const maxUidBytes = 128;
const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;
const maxKeyBytes = 10 * 1024;

/** Validation errors of a new request. */
export function validatePodCertificateRequest({ metadata, spec }: Request): FieldError[] {
  const report = new FieldReport();
  report.add(validateNamespacedMeta(metadata, nameIsDNSSubdomain));
  validateSignerName(report, specPath, "signerName", spec.signerName ?? "");
  const annotations = spec.unverifiedUserAnnotations;
  validateUserAnnotations(report, specPath.child("unverifiedUserAnnotations"), annotations);
  for (const [name, uid] of [
    ["podName", "podUID"],
    ["serviceAccountName", "serviceAccountUID"],
    ["nodeName", "nodeUID"],
  ] as const) {
    report.problems(specPath, name, spec[name] ?? "", nameIsDNSSubdomain(spec[name] ?? "", false));
    if (!spec[uid]) report.invalid(specPath, uid, "", "must not be empty");
    else if (isLongerThan(spec[uid], maxUidBytes)) report.tooLong(specPath, uid, maxUidBytes);
  }
  const seconds = spec.maxExpirationSeconds;
  if (seconds === undefined) {
    report.required(specPath, "maxExpirationSeconds", "must be set");
    return report.errors;
  }
  const max = isKubernetesSigner(spec.signerName) ? daySeconds : 91 * daySeconds;
  if (seconds < hourSeconds || seconds > max) {
    const detail = `must be in the range [${hourSeconds}, ${max}]`;
    report.invalid(specPath, "maxExpirationSeconds", seconds, detail);
  }
  report.add(validateKey(spec));
  return report.errors;
}

function validateKey(spec: Request["spec"]): FieldError[] {
  const { stubPKCS10Request: request, pkixPublicKey, proofOfPossession } = spec;
  if (request && !pkixPublicKey && !proofOfPossession) return validateStub(request);
  if (!request && pkixPublicKey && proofOfPossession) {
    return validateKeyAndProof(spec, pkixPublicKey, proofOfPossession);
  }
  const detail =
    "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set";
  return [invalid(specPath, undefined, detail)];
}

function validateStub(request: string): FieldError[] {
  const der = Buffer.from(request, "base64");
  const path = specPath.child("stubPKCS10Request");
  if (der.length > maxKeyBytes) return [tooLong(path, maxKeyBytes)];
  let read: CertificateRequest;
  try {
    read = readCertificateRequest(der);
  } catch {
    return [invalid(path, undefined, "must be a valid PKCS#10 CSR")];
  }
  const problem = keyProblem(read.publicKey);
  if (problem) return [invalid(path, problem.value, problem.detail)];
  return read.signatureProblem === undefined ? [] : [invalid(path, undefined, "invalid signature")];
}

function validateKeyAndProof(
  { podUID }: Request["spec"],
  pkix: string,
  proof: string,
): FieldError[] {
  const path = specPath.child("pkixPublicKey");
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.from(pkix, "base64"), format: "der", type: "spki" });
  } catch {
    return [invalid(path, pkix, "must be a valid PKIX-serialized public key")];
  }
  const problem = keyProblem(key);
  if (problem) return [invalid(path, problem.value, problem.detail)];
  if (provesPossession(key, podUID, Buffer.from(proof, "base64"))) return [];
  const detail = "could not verify proof-of-possession signature";
  return [invalid(specPath.child("proofOfPossession"), undefined, detail)];
}

function provesPossession(key: KeyObject, podUID: string, proof: Buffer): boolean {
  if (key.asymmetricKeyType === "ed25519") return verify(null, Buffer.from(podUID), key, proof);
  const check = createVerify("sha256").update(podUID);
  return key.asymmetricKeyType === "rsa"
    ? check.verify({ key, padding: 6, saltLength: -2 }, proof)
    : check.verify(key, proof);
}

const curves: Readonly<Record<string, string>> = table({
  prime256v1: "P-256",
  secp384r1: "P-384",
  secp521r1: "P-521",
  secp224r1: "P-224",
});

/** The problem with the type of a key; undefined if there is none. */
function keyProblem(key: KeyObject): { value: string | undefined; detail: string } | undefined {
  const { namedCurve = "", modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === "ed25519") return undefined;
  if (key.asymmetricKeyType === "ec") {
    const curve = curves[namedCurve] ?? namedCurve;
    if (curve !== "P-224" && curve !== namedCurve) return undefined;
    const detail = "elliptic public keys must use curve P256, P384, or P521";
    return { value: `curve ${curve}`, detail };
  }
  if (key.asymmetricKeyType === "rsa") {
    if (modulusLength === 3072 || modulusLength === 4096) return undefined;
    const detail = "RSA keys must have modulus size 3072 or 4096";
    return { value: `${modulusLength}-bit modulus`, detail };
  }
  const detail = "unknown public key type; supported types are Ed25519, ECDSA, and RSA";
  return { value: undefined, detail };
}
