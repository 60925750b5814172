/** Upstream: pkg/controller/podautoscaler/horizontal.go. */
import { type HorizontalPodAutoscaler, horizontalPodAutoscalers } from "#/api/autoscaling/v2.ts";
import { type Pod, pods } from "#/api/core/v1.ts";
import { keyOf, refKey } from "#/client/object-key.ts";
import {
  type Controller,
  type ControllerContext,
  controller,
  type ReconcileResult,
} from "#/controller/controller.ts";
import type { Selector } from "#/machinery/meta/labels.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { selectedObjects } from "../base/selected-objects.ts";
import { Autoscale } from "./autoscale.ts";
import { MetricsClient } from "./metrics-client.ts";
import { ScaleTargets } from "./scale-target.ts";
import type { ScalingHistory } from "./stabilize.ts";

type Context = ControllerContext<ManagerOptions>;

const name = "horizontal-pod-autoscaler-controller";
const eventSource = "horizontal-pod-autoscaler";

/** State of all autoscalers, by their keys. */
interface Memory {
  readonly histories: Map<string, ScalingHistory>;
  readonly selectors: Map<string, Selector>;
  readonly metrics: MetricsClient;
  readonly targets: ScaleTargets;
}

/** Scales workloads by the resource usage of their Pods, or by other metrics. */
export const horizontalPodAutoscalerController: Controller<ManagerOptions> = {
  name,
  eventSource,
  run(context) {
    const { client, catalog } = context;
    const memory: Memory = {
      histories: new Map(),
      selectors: new Map(),
      metrics: new MetricsClient(client, catalog),
      targets: new ScaleTargets(client, catalog),
    };
    return controller<HorizontalPodAutoscaler, ManagerOptions>({
      name,
      eventSource,
      for: horizontalPodAutoscalers,
      queue: "horizontalpodautoscaler",
      reads: [pods],
      // Its own status writes must not trigger a run before the interval.
      predicate: (now, old) => !now || !old || now.metadata.generation !== old.metadata.generation,
      workers: ({ flags }) => flags["concurrent-horizontal-pod-autoscaler-syncs"],
      reconcile: (autoscaler, own) => reconcile(autoscaler, own, memory),
      async gone(ref) {
        memory.histories.delete(refKey(ref));
        memory.selectors.delete(refKey(ref));
      },
    }).run(context);
  },
};

async function reconcile(
  autoscaler: HorizontalPodAutoscaler,
  context: Context,
  memory: Memory,
): Promise<ReconcileResult> {
  const { client, options, log, recorder } = context;
  const key = keyOf(autoscaler);
  const history = memory.histories.get(key) ?? { recommendations: [], ups: [], downs: [] };
  memory.histories.set(key, history);
  const { metrics, targets } = memory;
  const podsOf = (selector: Selector) => ownPods(key, selector, context, memory);
  const autoscale = new Autoscale({ autoscaler, context, metrics, targets, history, podsOf });
  try {
    await autoscale.run();
  } catch (error) {
    log.error(error, "failed to autoscale", { autoscaler: key });
  }
  if (!deepEqual(autoscale.status, autoscaler.status)) {
    try {
      await client.updateStatus(horizontalPodAutoscalers, {
        ...autoscaler,
        status: autoscale.status,
      });
    } catch (error) {
      const { message } = error as Error;
      recorder.event(autoscaler, "Warning", "FailedUpdateStatus", message);
      log.error(error, "failed to update HorizontalPodAutoscaler status", { autoscaler: key });
    }
  }
  return { afterMs: options.flags["horizontal-pod-autoscaler-sync-period"] };
}

/** The Pods of an autoscaler's target; throws if another autoscaler has any of them. */
function ownPods(
  key: string,
  selector: Selector,
  { informers }: Context,
  { selectors }: Memory,
): readonly Pod[] {
  selectors.set(key, selector);
  const [namespace = ""] = key.split("/");
  const selected = selectedObjects(pods, namespace, selector, informers);
  const rivals = [...selectors]
    .filter(([other]) => other.startsWith(`${namespace}/`))
    .filter(([, one]) => selected.some(({ metadata }) => one.matches(metadata.labels)))
    .map(([other]) => `{${other.slice(namespace.length + 1)} ${namespace}}`);
  if (rivals.length > 1) {
    const shown = rivals.slice(0, 2).join(" ");
    throw new Error(
      `pods by selector ${selector} are controlled by more than one HPA (e.g. [${shown}])`,
    );
  }
  return selected;
}
