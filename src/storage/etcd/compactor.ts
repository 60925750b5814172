import type { Clock } from "#/std/time/clock.ts";
import { type CompactorState, compactOnce, log } from "./compact-once.ts";
import type { Members } from "./etcd-members.ts";

/**
 * Compacts at each interval to the revision that the store had one interval ago, so that history is
 * kept for at least one interval. If there are several API servers, upstream's included, only one
 * compacts each time: the one with the current count.
 * Upstream: staging/src/k8s.io/apiserver/pkg/storage/etcd3/compact.go.
 */
export async function runCompactor(
  members: Members,
  { clock, intervalMs }: { readonly clock: Clock; readonly intervalMs: number },
): Promise<void> {
  let state: CompactorState = { version: 0, revision: 0 };
  const { closing } = members;
  const slept = (): Promise<boolean> =>
    clock.sleep(intervalMs, closing).then(
      () => true,
      () => false,
    );
  while (await slept()) {
    try {
      state = await compactOnce(members, state);
    } catch (error) {
      if (!closing.aborted) log.error(error, "failed to compact etcd");
    }
  }
}
