/** Upstream: pkg/controller/certificates/cleaner/cleaner.go. */
import { X509Certificate } from "node:crypto";
import type { CertificateSigningRequest } from "#/api/certificates/v1.ts";
import { parseTime } from "#/machinery/time/time.ts";

export const hourMs = 3600 * 1000;

const pendingMs = 24 * hourMs;

const decidedMs = hourMs;

/** Whether a request has been decided or pending for long enough. */
export function isDone({ metadata, status }: CertificateSigningRequest, nowMs: number): boolean {
  const conditions = status?.conditions ?? [];
  const isOld = (time: string | undefined, ageMs: number): boolean =>
    time !== undefined && parseTime(time) + ageMs < nowMs;
  if (conditions.length === 0) return isOld(metadata.creationTimestamp, pendingMs);
  return conditions.some(({ type, lastUpdateTime }) => {
    if (type === "Denied" || type === "Failed") return isOld(lastUpdateTime, decidedMs);
    if (type !== "Approved") return false;
    if (!status?.certificate) return isOld(lastUpdateTime, pendingMs);
    return isOld(lastUpdateTime, decidedMs) || hasExpired(status.certificate, nowMs);
  });
}

function hasExpired(encoded: string, nowMs: number): boolean {
  const certificate = new X509Certificate(Buffer.from(encoded, "base64"));
  return certificate.validToDate.getTime() < nowMs;
}
