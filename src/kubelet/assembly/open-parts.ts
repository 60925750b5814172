import type { NodeState } from "../node/node-state.ts";
import { PodObservation } from "../pods/observe-pod.ts";
import { recordPodEvents } from "../pods/record-events.ts";
import { RuntimeWatch } from "../pods/runtime-watch.ts";
import { type EvictionParts, type OpenedEviction, openEviction } from "./open-eviction.ts";
import { type NodeParts, type OpenedNode, openNode } from "./open-node.ts";
import { type OpenedPods, openPods, type PodParts } from "./open-pods.ts";
import { type OpenedVolumes, openVolumes, type VolumeParts } from "./open-volumes.ts";

/** What all parts are made of. */
export type Base = Pick<EvictionParts, "stats"> &
  Omit<NodeParts, "volumesInUse" | "pressure" | "problems"> &
  Pick<PodParts, "metrics"> &
  Pick<VolumeParts, "client">;

export interface OpenedParts extends OpenedNode, OpenedVolumes, OpenedPods {
  readonly watch: RuntimeWatch;
  readonly evicting: OpenedEviction;
}

/** Puts the parts of a kubelet together. Nothing runs yet. */
export function openParts(base: Base): OpenedParts {
  const { runtime } = base.machine.cri;
  const watch = new RuntimeWatch(runtime, new PodObservation(runtime), base.clock);
  const events = recordPodEvents(base.recorder);
  const node: OpenedNode = openNode({
    ...base,
    volumesInUse: () => volumes.volumes.volumesInUse(),
    pressure: () => evicting.eviction.pressure,
    problems: () =>
      [runtimeProblem(watch), evicting.shutdownProblem()].filter((one) => one !== undefined),
  });
  const recursiveReadOnly = (): boolean => supportsRecursiveReadOnly(node.state);
  const shared = { ...base, ...node, events, watch, recursiveReadOnly };
  const podIPs = (uid: string): readonly string[] => watch.get(uid)?.ips ?? [];
  const volumes: OpenedVolumes = openVolumes({ ...shared, podIPs });
  const evicting: OpenedEviction = openEviction({ ...shared, pods: () => pods.pods });
  const { cpus } = base.machine;
  const admitters = [...evicting.admitters, ...(cpus ? [cpus] : [])];
  const pods = openPods({ ...shared, ...volumes, admitters });
  return { ...node, ...volumes, ...pods, watch, evicting };
}

/** Lets pods react to their containers, probes and the objects they use. */
export function wakePods({ watch, probes, objects, pods }: OpenedParts): Disposable {
  const wakes = new DisposableStack();
  wakes.use(watch.subscribe((uid) => pods.wake(uid)));
  wakes.use(probes.subscribe(({ podUID }) => pods.wake(podUID)));
  wakes.use(
    objects.subscribe((uids) => {
      for (const uid of uids) pods.wake(uid);
    }),
  );
  return wakes;
}

/** Why the runtime can't be relied on; undefined if it can. */
export function runtimeProblem(watch: RuntimeWatch): string | undefined {
  try {
    watch.checkHealth();
    return undefined;
  } catch (error) {
    return `PLEG is not healthy: ${(error as Error).message}`;
  }
}

/** Of the default handler. */
function supportsRecursiveReadOnly({ health }: NodeState): boolean {
  const handlers = health.status?.runtimeHandlers ?? [];
  return handlers.find(({ name }) => name === "")?.features?.recursiveReadOnlyMounts ?? false;
}
