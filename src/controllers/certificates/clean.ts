/** Upstream: pkg/controller/certificates/cleaner/cleaner.go. */
import { X509Certificate } from "node:crypto";
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
} from "#/api/certificates/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { periodic } from "#/controller/periodic.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import { parseTime } from "#/machinery/time/time.ts";
import type { ManagerOptions } from "../base/manager-options.ts";

const hourMs = 3600 * 1000;
const everyMs = hourMs;
const pendingMs = 24 * hourMs;
const decidedMs = hourMs;

/** Deletes CertificateSigningRequests that are no longer needed. */
export const csrCleanerController = periodic<ManagerOptions>({
  name: "certificatesigningrequest-cleaner-controller",
  everyMs,
  reads: [certificateSigningRequests],
  async run({ client, informers, clock }) {
    const { store } = informers.informer(certificateSigningRequests);
    for (const request of store.list().filter((one) => isDone(one, clock.now()))) {
      await client.delete(certificateSigningRequests, refOf(request)).catch(ignoreNotFound);
    }
  },
});

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
