import type { Deployment, ReplicaSet } from "#/api/apps/v1.ts";
import { controllerOf, isTerminal, nameOf, podsOf } from "../pods.ts";
import type { World } from "../world.ts";
import type { Property } from "./property.ts";

const sizeOf = (uid: string | undefined): string => `size ${uid}`;

/** ReplicaSets of a Deployment are never scaled up beyond replicas plus maxSurge. */
export const surgeIsKept: Property = {
  name: "a rollout keeps to maxSurge",
  check({ resource, now, old }, world) {
    if (resource === "deployments" && now) noteSize(now as Deployment, world);
    if (resource !== "replicasets" || !now) return undefined;
    const grown = (now as ReplicaSet).spec?.replicas ?? 0;
    if (grown <= ((old as ReplicaSet | undefined)?.spec?.replicas ?? 0)) return undefined;
    const deployment = world.findUid(controllerOf(now)) as Deployment | undefined;
    if (deployment?.kind !== "Deployment") return undefined;
    const total = setsOf(deployment, world).reduce(
      (sum, { spec }) => sum + (spec?.replicas ?? 0),
      0,
    );
    const limit = world.recentMax(sizeOf(deployment.metadata.uid));
    if (total <= limit) return undefined;
    return `${nameOf(deployment)}: ReplicaSets have ${total} replicas, ${limit} are allowed`;
  },
};

/** A Deployment that recreates has no Pods of two templates at once. */
export const recreateWaits: Property = {
  name: "a Recreate rollout waits until the old Pods are gone",
  check({ resource, now, old }, world) {
    if (resource !== "pods" || !now || old) return undefined;
    const set = world.findUid(controllerOf(now)) as ReplicaSet | undefined;
    const deployment = set && (world.findUid(controllerOf(set)) as Deployment | undefined);
    if (deployment?.kind !== "Deployment" || deployment.spec?.strategy?.type !== "Recreate") {
      return undefined;
    }
    const other = setsOf(deployment, world)
      .filter(({ metadata }) => metadata.uid !== set?.metadata.uid)
      .flatMap(({ metadata }) => podsOf(world, metadata.uid ?? ""))
      .find((pod) => !isTerminal(pod));
    return other && `${nameOf(now)} was made while ${nameOf(other)} of another template is there`;
  },
};

function noteSize({ metadata, spec }: Deployment, world: World): void {
  const replicas = spec?.replicas ?? 1;
  const { maxSurge = 0 } = spec?.strategy?.rollingUpdate ?? {};
  world.note(sizeOf(metadata.uid), replicas + Number(maxSurge));
}

/** The ReplicaSets of a Deployment. */
export const setsOf = ({ metadata }: Deployment, world: World): ReplicaSet[] =>
  world.list<ReplicaSet>("replicasets").filter((set) => controllerOf(set) === metadata.uid);
