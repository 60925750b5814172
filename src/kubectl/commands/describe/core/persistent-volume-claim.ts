/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import { type PersistentVolumeClaim, pods } from "#/api/core/v1.ts";
import type { Context } from "../../../command/context.ts";
import { describeClaimParts } from "../parts/claim-parts.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { longTime } from "../parts/description.ts";

/** A claim, with the Pods that use it. */
const describeClaim: Describer = async (to, { object, context }) => {
  const { metadata, status } = object as unknown as PersistentVolumeClaim;
  to.field(0, "Name", metadata?.name ?? "");
  to.field(0, "Namespace", metadata?.namespace ?? "");
  describeClaimParts(to, object as unknown as PersistentVolumeClaim, { isWhole: true });
  const names = await usersOf(context, { metadata });
  to.field(0, "Used By", names.join("\n\t") || "<none>");
  if (!status?.conditions?.length) return;
  to.write(0, "Conditions:\n");
  to.write(1, "Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage\n");
  to.write(1, "----\t------\t-----------------\t------------------\t------\t-------\n");
  for (const {
    type,
    status: value,
    lastProbeTime,
    lastTransitionTime,
    reason = "",
    message = "",
  } of status.conditions) {
    const times = `${longTime(lastProbeTime)} \t${longTime(lastTransitionTime)}`;
    to.write(1, `${type} \t${value} \t${times} \t${reason} \t${message}\n`);
  }
};

/** The Pods that mount a claim, and those that it belongs to. */
async function usersOf(
  context: Context,
  { metadata }: Pick<PersistentVolumeClaim, "metadata">,
): Promise<string[]> {
  const client = await context.cluster.client();
  const all = await client.listAll(pods, { namespace: metadata?.namespace ?? "" });
  const owners = (metadata?.ownerReferences ?? [])
    .filter(({ kind }) => kind === "Pod")
    .map(({ uid }) => uid);
  const uses = all.filter(
    (pod) =>
      owners.includes(pod.metadata?.uid ?? "") ||
      pod.spec?.volumes?.some(
        ({ persistentVolumeClaim: claim }) => claim?.claimName === metadata?.name,
      ),
  );
  return uses.map((pod) => pod.metadata?.name ?? "").sort();
}

export const persistentVolumeClaim: KindDescriber = { describe: describeClaim };
