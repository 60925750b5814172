/** Upstream: pkg/controller/certificates/cleaner/cleaner.go. */
import { certificateSigningRequests } from "#/api/certificates/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { periodic } from "#/controller/periodic.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { hourMs, isDone } from "./request-lifetime.ts";

const everyMs = hourMs;

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
