import type { StatefulSet } from "#/api/apps/v1.ts";
import type { Pod } from "#/api/core/v1.ts";
import { controllerOf, isReady, nameOf } from "../pods.ts";
import { staleMs, type World } from "../world.ts";
import type { Property } from "./property.ts";

const replicasOf = (uid: string | undefined): string => `replicas ${uid}`;

/** Ordinals are created in order, none beyond the set's size, and no Pod replaces one that still exists. */
export function ordinalsInOrder(): Property {
  /** When the Pod of a set and ordinal was last Ready. */
  const readyAtMs = new Map<string, number>();
  return {
    name: "a StatefulSet makes its Pods in order, each ordinal once",
    check({ resource, now, old }, world) {
      if (resource === "statefulsets" && now) {
        const { metadata, spec } = now as StatefulSet;
        world.note(replicasOf(metadata.uid), spec?.replicas ?? 1);
      }
      if (resource !== "pods") return undefined;
      noteReady([old as Pod | undefined, now as Pod | undefined], readyAtMs, world);
      if (!now) return undefined;
      if (old && old.metadata.uid !== now.metadata.uid) return `${nameOf(now)} was replaced`;
      return old ? undefined : checkNew(now as Pod, readyAtMs, world);
    },
  };
}

function noteReady(
  states: readonly (Pod | undefined)[],
  readyAtMs: Map<string, number>,
  world: World,
): void {
  for (const pod of states) {
    if (pod && isReady(pod)) {
      readyAtMs.set(`${controllerOf(pod)} ${pod.metadata.name}`, world.clock.monotonicMs());
    }
  }
}

function checkNew(
  pod: Pod,
  readyAtMs: ReadonlyMap<string, number>,
  world: World,
): string | undefined {
  const set = world.findUid(controllerOf(pod)) as StatefulSet | undefined;
  if (set?.kind !== "StatefulSet") return undefined;
  const ordinal = Number(/-(\d+)$/.exec(pod.metadata.name ?? "")?.[1]);
  const replicas = world.recentMax(replicasOf(set.metadata.uid));
  if (ordinal >= replicas) return `${nameOf(pod)} is beyond ${replicas} replicas`;
  if (set.spec?.podManagementPolicy === "Parallel") return undefined;
  for (let before = 0; before < ordinal; before++) {
    const key = `${set.metadata.uid} ${set.metadata.name}-${before}`;
    const isNow = world
      .list<Pod>("pods")
      .some((one) => `${controllerOf(one)} ${one.metadata.name}` === key && isReady(one));
    const since = world.clock.monotonicMs() - (readyAtMs.get(key) ?? Number.NEGATIVE_INFINITY);
    if (!isNow && since > staleMs)
      return `${nameOf(pod)} was made before ordinal ${before} was Ready`;
  }
  return undefined;
}
