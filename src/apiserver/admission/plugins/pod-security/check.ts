import type { Container, PodSpec } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";

/** The reason why a pod violates a standard. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type CheckPod = (spec: PodSpec, metadata: ObjectMeta) => Violation | undefined;

/** One rule of the Pod Security Standards, as it changed over the versions. */
export interface Check {
  readonly id: string;
  readonly level: "baseline" | "restricted";
  /** In rising order of the minor version from which each applies. */
  readonly versions: readonly {
    readonly since: number;
    readonly check: CheckPod;
    /** Baseline checks that this one replaces. */
    readonly overrides?: readonly string[];
  }[];
}

/** Every container of a pod: init containers first, ephemeral ones last. */
export function containersOf(spec: PodSpec): Container[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  return [...initContainers, ...containers, ...(ephemeralContainers as Container[])];
}

/** Names in quotes. */
export const quoted = (names: Iterable<string>): string =>
  Array.from(names, (name) => `"${name}"`).join(", ");

/** The singular or plural of a noun. */
export const plural = (one: string, many: string, count: number): string =>
  count === 1 ? one : many;

/** `container "a"` or `containers "a", "b"`. */
export const named = (containers: readonly string[]): string =>
  `${plural("container", "containers", containers.length)} ${quoted(containers)}`;

/** The subject of a message: the pod, some containers, or both. */
export function settersOf(pod: boolean, containers: readonly string[]): string {
  const setters = pod ? ["pod"] : [];
  if (containers.length > 0) setters.push(named(containers));
  return setters.join(" and ");
}

/** A check that does not apply to pods in a user namespace. */
export const unlessOwnUsers =
  (check: CheckPod): CheckPod =>
  (spec, metadata) =>
    spec.hostUsers === false ? undefined : check(spec, metadata);

/** A check that does not apply to Windows pods. */
export const unlessWindows =
  (check: CheckPod): CheckPod =>
  (spec, metadata) =>
    spec.os?.name === "windows" ? undefined : check(spec, metadata);
