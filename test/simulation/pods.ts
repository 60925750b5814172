import type { Pod } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import type { World } from "./world.ts";

export const isTerminal = ({ status }: Pod): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed";

export const isTerminating = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined;

export const isActive = (pod: Pod): boolean => !isTerminal(pod) && !isTerminating(pod);

export const isReady = (pod: Pod): boolean =>
  isActive(pod) && hasCondition(pod.status?.conditions, "Ready");

/** The uid of the object's controller; "" without one. */
export const controllerOf = ({ metadata }: { readonly metadata: ObjectMeta }): string =>
  metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? "";

/** Pods with this controller. */
export const podsOf = (world: World, uid: string): Pod[] =>
  world.list<Pod>("pods").filter((pod) => controllerOf(pod) === uid);

/** "namespace/name", or the name. */
export const nameOf = ({ metadata }: { readonly metadata: ObjectMeta }): string =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name}` : (metadata.name ?? "");
