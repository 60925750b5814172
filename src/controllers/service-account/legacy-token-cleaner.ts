/** Upstream: pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go. */
import { configMaps, pods, type Secret, secrets, serviceAccounts } from "#/api/core/v1.ts";
import { keyOf, refOf } from "#/client/object-key.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { periodic } from "#/controller/periodic.ts";
import { isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import { podReferences } from "#/machinery/pods/pod-references.ts";
import { parseTime } from "#/machinery/time/time.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { planLegacyToken } from "./plan-legacy-token.ts";

type Context = ControllerContext<ManagerOptions>;

const dayMs = 86_400_000;
const tracking = {
  name: "kube-apiserver-legacy-service-account-token-tracking",
  namespace: "kube-system",
};
const invalidSinceLabel = "kubernetes.io/legacy-token-invalid-since";

/**
 * Invalidates auto-generated tokens that were unused for the period, and deletes them after another
 * one.
 */
export const legacyTokenCleanerController = periodic<ManagerOptions>({
  name: "legacy-serviceaccount-token-cleaner-controller",
  everyMs: dayMs,
  reads: [secrets, serviceAccounts, pods],
  async run(context) {
    const { client, clock, informers, options, log } = context;
    const periodMs = options.flags["legacy-service-account-token-clean-up-period"];
    const { data } = await client.get(configMaps, tracking);
    // Usage is tracked by whole days, from the day after the start.
    const trackedMs = parseTime(`${data?.["since"]}T00:00:00Z`) + dayMs;
    if (clock.now() < trackedMs + periodMs) return;
    for (const secret of informers.informer(secrets).store.list()) {
      const plan = planLegacyToken(secret, { nowMs: clock.now(), periodMs });
      if (plan.do === "keep" || !isAutomatic(secret, context) || isMounted(secret, context)) {
        continue;
      }
      try {
        if (plan.do === "mark") await mark(secret, plan.date, context);
        else await remove(secret, context);
      } catch (error) {
        log.error(error, "failed to process legacy token", { secret: keyOf(secret) });
      }
    }
  },
});

/** Whether its ServiceAccount refers to it, as with auto-generated tokens. */
function isAutomatic({ metadata }: Secret, { informers }: Context): boolean {
  const { name, namespace = "", annotations = {} } = metadata;
  const accountName = annotations["kubernetes.io/service-account.name"] ?? "";
  const uid = annotations["kubernetes.io/service-account.uid"];
  const account = informers.informer(serviceAccounts).store.get(namespace, accountName);
  if (!account || (uid !== undefined && uid !== account.metadata.uid)) return false;
  return (account.secrets ?? []).some((one) => one.name === name);
}

function isMounted(secret: Secret, { informers }: Context): boolean {
  const reference = `secrets/${keyOf(secret)}`;
  return informers
    .informer(pods)
    .store.listNamespace(secret.metadata.namespace ?? "")
    .some((pod) => podReferences(pod).has(reference));
}

async function mark(secret: Secret, date: string, { client }: Context): Promise<void> {
  const { uid } = secret.metadata;
  const patch = { metadata: { uid, labels: { [invalidSinceLabel]: date } } } as object;
  await client.patch(secrets, refOf(secret), patch, { type: "merge" });
}

async function remove(secret: Secret, { client }: Context): Promise<void> {
  const preconditions = { resourceVersion: secret.metadata.resourceVersion ?? "" };
  try {
    await client.delete(secrets, refOf(secret), { preconditions });
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}
