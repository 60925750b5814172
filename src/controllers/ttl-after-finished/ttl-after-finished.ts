/** Upstream: pkg/controller/ttlafterfinished. */
import { type Job, jobs } from "#/api/batch/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { controller } from "#/controller/controller.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { expiresInMs } from "./finished-expiry.ts";

/** Deletes Jobs with a TTL after they have finished. */
export const ttlAfterFinishedController = controller<Job, ManagerOptions>({
  name: "ttl-after-finished-controller",
  for: jobs,
  queue: "ttl_jobs_to_delete",
  workers: ({ flags }) => flags["concurrent-ttl-after-finished-syncs"],
  async reconcile(job, { client, clock }) {
    const leftMs = expiresInMs(job, clock.now());
    if (leftMs === undefined) return undefined;
    if (leftMs > 0) return { afterMs: leftMs };
    // The TTL may just have been changed.
    const fresh = await client.get(jobs, refOf(job)).catch(ignoreNotFound);
    const freshMs = fresh && expiresInMs(fresh, clock.now());
    if (!fresh || freshMs === undefined) return undefined;
    if (freshMs > 0) return { afterMs: freshMs };
    const { uid } = fresh.metadata;
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    const options = { propagationPolicy: "Foreground", ...preconditions } as const;
    await client.delete(jobs, refOf(fresh), options).catch(ignoreNotFound);
    return undefined;
  },
});
