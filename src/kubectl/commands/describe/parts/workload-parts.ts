/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import { pods } from "#/api/core/v1.ts";
import { isControlledBy } from "#/machinery/meta/owner-references.ts";
import type { Metadata, Unstructured } from "../../../base/unstructured.ts";
import type { Context } from "../../../command/context.ts";
import type { Description } from "./description.ts";

export const metadataOf = (object: unknown): Metadata =>
  ((object as Unstructured).metadata ?? {}) as Metadata;

type Counts = Readonly<Record<"running" | "waiting" | "succeeded" | "failed", number>>;

/** The phases of the Pods that an object controls. */
export async function countPods(
  context: Context,
  object: Unstructured,
  labelSelector: string,
): Promise<Counts> {
  const client = await context.cluster.client();
  const { namespace } = object.metadata ?? {};
  const all = await client.listAll(pods, { namespace, labelSelector });
  const own = all.filter((pod) => isControlledBy(pod as never, object as never));
  const count = (phase: string): number =>
    own.filter(({ status }) => status?.phase === phase).length;
  return {
    running: count("Running"),
    waiting: count("Pending"),
    succeeded: count("Succeeded"),
    failed: count("Failed"),
  };
}

export const countText = ({ running, waiting, succeeded, failed }: Counts): string =>
  `${running} Running / ${waiting} Waiting / ${succeeded} Succeeded / ${failed} Failed`;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

export function conditions(to: Description, all: readonly Condition[] = []): void {
  if (all.length === 0) return;
  to.write(0, "Conditions:\n  Type\tStatus\tReason\n");
  to.write(1, "----\t------\t------\n");
  for (const { type, status, reason = "" } of all) to.write(1, `${type} \t${status}\t${reason}\n`);
}
