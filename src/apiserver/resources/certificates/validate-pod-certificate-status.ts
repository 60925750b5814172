import { createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { validateConditions } from "#/machinery/meta/conditions.ts";
import {
  type FieldError,
  invalid,
  JsonValue,
  notSupported,
  required,
  tooLong,
} from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isLongerThan } from "#/machinery/meta/names.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { formatTime, parseTime } from "#/machinery/time/time.ts";
import { append } from "#/std/base/append.ts";
import { readCertificateRequest } from "#/std/x509/certificate-request.ts";
import { type PemBlock, readPemBlocks } from "#/std/x509/pem.ts";
import { validateMetaUpdate } from "../rules/object-meta-rules.ts";
import type { Request } from "./validate-pod-certificate-request.ts";

/** Upstream: pkg/apis/certificates/validation/validation.go. */
const statusPath = fieldPath("status");
const conditionsPath = statusPath.child("conditions");
const chainPath = statusPath.child("certificateChain");
const final = ["Issued", "Denied", "Failed"];
const maxChainBytes = 100 * 1024;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Validation errors of an update of a request's status. */
export function validatePodCertificateStatus(
  object: Request,
  old: Request,
  now: number,
): FieldError[] {
  const errors = validateMetaUpdate(object.metadata, old.metadata);
  if (errors.length > 0) return errors;
  append(errors, validateStates(object));
  append(errors, validateConditions(object.status?.conditions, conditionsPath));
  if (errors.length > 0) return errors;
  const { status = {} } = object;
  const { status: before = {} } = old;
  const isFinal = (request: Request, ...types: readonly string[]) =>
    request.status?.conditions?.some((c) => c.status === "True" && types.includes(c.type)) ?? false;
  const mustEqual = (expected: object, detail: string) =>
    deepEqual(status, expected) ? [] : [invalid(statusPath, undefined, detail)];
  if (isFinal(old, ...final)) {
    return mustEqual(before, "immutable after PodCertificateRequest is issued, denied, or failed");
  }
  if (isFinal(object, "Denied", "Failed")) {
    const detail =
      "non-condition status fields must be empty when denying or failing the PodCertificateRequest";
    return mustEqual({ conditions: status.conditions }, detail);
  }
  if (isFinal(object, "Issued")) return validateIssued(object, old, now);
  const detail = 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"';
  return mustEqual(before, detail);
}

function validateStates({ status }: Request): FieldError[] {
  let known = 0;
  return (status?.conditions ?? []).flatMap(({ type, status: value }, index) => {
    // Upstream puts a dot before the index here.
    const at = (name: string) => conditionsPath.child(`[${index}]`).child(name);
    if (!final.includes(type)) return [notSupported(at("type"), type, final)];
    const errors: FieldError[] = [];
    if (++known > 1) {
      const detail = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
      errors.push(invalid(at("type"), type, detail));
    }
    if (value !== "True") errors.push(notSupported(at("status"), new JsonValue(value), ["True"]));
    return errors;
  });
}

function validateIssued(object: Request, old: Request, now: number): FieldError[] {
  const chain = object.status?.certificateChain ?? "";
  if (isLongerThan(chain, maxChainBytes)) return [tooLong(chainPath, maxChainBytes)];
  const refuse = (detail: string): FieldError[] => [invalid(chainPath, chain, detail)];
  const [leafBlock, ...rest] = readPemBlocks(chain);
  if (!leafBlock) {
    return refuse("issued certificate chain must contain at least one certificate");
  }
  if (leafBlock.type !== "CERTIFICATE") {
    return refuse("issued certificate chain must consist entirely of CERTIFICATE PEM blocks");
  }
  const leaf = readX509(leafBlock);
  if (!leaf) return refuse("leaf certificate does not parse as valid X.509");
  if (!leaf.publicKey.equals(requestedKey(old))) {
    return refuse("leaf certificate was not issued to the requested public key");
  }
  const errors = validateTimes(object, leaf, now);
  if (errors.length > 0) return errors;
  for (const block of rest) {
    if (block.type !== "CERTIFICATE") {
      return refuse("issued certificate chain must consist entirely of CERTFICATE PEM blocks");
    }
    if (!readX509(block)) return refuse("intermediate certificate does not parse as valid X.509");
  }
  return [];
}

function readX509({ der }: PemBlock): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}

/** The public key of the request; it was validated when the request was created. */
function requestedKey({ spec }: Request): KeyObject {
  if (spec.stubPKCS10Request) {
    return readCertificateRequest(Buffer.from(spec.stubPKCS10Request, "base64")).publicKey;
  }
  const key = Buffer.from(spec.pkixPublicKey ?? "", "base64");
  return createPublicKey({ key, format: "der", type: "spki" });
}

function validateTimes({ status = {}, spec }: Request, leaf: X509Certificate, now: number) {
  const { notBefore, notAfter, beginRefreshAt } = status;
  const path = (field: string) => statusPath.child(field);
  const errors: FieldError[] = [];
  const consistent = "must be present and consistent with the issued certificate";
  if (!notBefore) errors.push(required(path("notBefore"), consistent));
  if (!notAfter) errors.push(required(path("notAfter"), consistent));
  if (!beginRefreshAt) {
    const detail = "must be present and in the range [notbefore+10min, notafter-10min]";
    errors.push(required(path("beginRefreshAt"), detail));
  }
  if (!notBefore || !notAfter || !beginRefreshAt) return errors;
  const [from, to, refresh] = [notBefore, notAfter, beginRefreshAt].map(parseTime) as [
    number,
    number,
    number,
  ];
  const refuse = (field: string, value: unknown, detail: string) => [
    invalid(path(field), typeof value === "number" ? value : new JsonValue(value), detail),
  ];
  if (from !== leaf.validFromDate.getTime()) {
    const detail = "must be set to the NotBefore time encoded in the leaf certificate";
    return refuse("notBefore", formatTime(from), detail);
  }
  if (Math.abs(from - now) >= 5 * minuteMs) {
    const detail = "must be set to within 5 minutes of kube-apiserver's current time";
    return refuse("notBefore", formatTime(from), detail);
  }
  if (to !== leaf.validToDate.getTime()) {
    const detail = "must be set to the NotAfter time encoded in the leaf certificate";
    return refuse("notAfter", formatTime(to), detail);
  }
  const lifetimeProblem = validateLifetime(to - from, spec.maxExpirationSeconds ?? 0);
  if (lifetimeProblem) return refuse("certificateChain", (to - from) * 1e6, lifetimeProblem);
  if (refresh < from + 10 * minuteMs) {
    const detail = "must be at least 10 minutes after status.notBefore";
    return refuse("beginRefreshAt", formatTime(refresh), detail);
  }
  if (refresh > to - 10 * minuteMs) {
    const detail = "must be at least 10 minutes before status.notAfter";
    return refuse("beginRefreshAt", formatTime(refresh), detail);
  }
  return [];
}

function validateLifetime(lifetimeMs: number, maxSeconds: number): string | undefined {
  if (lifetimeMs < hourMs) return "leaf certificate lifetime must be >= 1 hour";
  if (lifetimeMs <= maxSeconds * 1000) return undefined;
  return `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${maxSeconds})`;
}
