/** Upstream: staging/src/k8s.io/cloud-provider/controllers/route/route_controller.go. */
import { type Node, nodes } from "#/api/core/v1.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { handlerOf } from "#/controller/watch.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { WorkQueue } from "#/std/async/queue.ts";
import type { CloudOptions } from "../../base/cloud-options.ts";

/** The only keys of the queue: all routes are reconciled together. */
const changeKey = "node_change";
/** Least interval (ms) of reconciles while nodes change; upstream's. */
const intervalMs = 10_000;

/** Reconciles when a node's networks or addresses change, until the signal aborts. */
export async function watchNodes(
  { clock, signal, informers, log, observeQueue }: ControllerContext<CloudOptions>,
  sync: (trigger: string) => Promise<void>,
): Promise<void> {
  const observer = observeQueue?.("Routes");
  const queue = new WorkQueue<string>({ clock, ...(observer ? { observer } : {}) });
  let lastMs = -intervalMs;
  const add = () => queue.addAfter(changeKey, lastMs + intervalMs - clock.monotonicMs());
  using _subscription = informers.informer(nodes).subscribe(
    handlerOf((now, old) => {
      if (affectsRoutes(now, old)) add();
    }),
  );
  signal.addEventListener("abort", () => void queue.shutdown(), { once: true });
  for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
    lastMs = clock.monotonicMs();
    await sync(key).catch((error: unknown) => {
      if (signal.aborted) return;
      log.error(error, "couldn't reconcile node routes, requeuing");
      add();
    });
    queue.done(key);
  }
}

function affectsRoutes(now: Node | undefined, old: Node | undefined): boolean {
  if (!now || !old) return true;
  return (
    !deepEqual(old.spec?.podCIDRs, now.spec?.podCIDRs) ||
    !deepEqual(old.status?.addresses, now.status?.addresses)
  );
}
