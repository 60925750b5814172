/** Upstream: pkg/controller/certificates/cleaner/pcrcleaner.go. */
import { podCertificateRequests } from "#/api/certificates/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { periodic } from "#/controller/periodic.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { parseTime } from "#/machinery/time/time.ts";
import type { ManagerOptions } from "../base/manager-options.ts";

const everyMs = 5 * 60_000;
/** Age (ms) after which a request is deleted; all are settled much sooner. */
const oldMs = 15 * 60_000;

/** Deletes PodCertificateRequests some time after their creation. */
export const podCertificateCleanerController = periodic<ManagerOptions>({
  name: "podcertificaterequest-cleaner-controller",
  everyMs,
  reads: [podCertificateRequests],
  async run({ client, clock, informers, log }) {
    for (const request of informers.informer(podCertificateRequests).store.list()) {
      const { creationTimestamp, uid } = request.metadata;
      if (!creationTimestamp || clock.now() < parseTime(creationTimestamp) + oldMs) continue;
      const options = uid === undefined ? {} : { preconditions: { uid } };
      await client
        .delete(podCertificateRequests, refOf(request), options)
        .catch((error: unknown) => {
          if (!isNotFound(error)) log.error(error, "failed to delete PodCertificateRequest");
        });
    }
  },
});
