/** Upstream: pkg/controller/bootstrap/tokencleaner.go. */
import { type Secret, secrets } from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { controller } from "#/controller/controller.ts";
import { bootstrapTokenType, tokenExpiresInMs } from "#/machinery/component/bootstrap-token.ts";
import { isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import type { ManagerOptions } from "../base/manager-options.ts";

/** Deletes expired bootstrap tokens. */
export const tokenCleanerController = controller<Secret, ManagerOptions>({
  name: "token-cleaner-controller",
  for: secrets,
  queue: "token_cleaner",
  workers: 1,
  predicate: (now) => now?.type === bootstrapTokenType && now.metadata.namespace === "kube-system",
  async reconcile(secret, { client, clock }) {
    const leftMs = tokenExpiresInMs(secret, clock.now());
    if (secret.type !== bootstrapTokenType || leftMs === undefined) return undefined;
    if (leftMs > 0) return { afterMs: leftMs };
    const preconditions = { uid: secret.metadata.uid ?? "" };
    try {
      await client.delete(secrets, refOf(secret), { preconditions });
    } catch (error) {
      // It is deleted or replaced.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    return undefined;
  },
});
