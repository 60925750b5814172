import type { Container, EphemeralContainer, Pod } from "#/api/core/v1.ts";

/** A container of any kind: ephemeral ones have all relevant fields of the others. */
export type AnyContainer = Container | EphemeralContainer;

/** All containers of a pod: init, ordinary, ephemeral. */
export function allContainers({ spec }: Pick<Pod, "spec">): readonly AnyContainer[] {
  return [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
}

export function findContainer(pod: Pick<Pod, "spec">, name: string): AnyContainer | undefined {
  return allContainers(pod).find((container) => container.name === name);
}

/** A sidecar: an init container that keeps running. */
export function isSidecar(container: AnyContainer): boolean {
  return container.restartPolicy === "Always";
}

/** `NAME_NAMESPACE(UID)`: a pod in messages. */
export function describePod({ metadata }: Pick<Pod, "metadata">): string {
  return `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
}

/** The value of `fieldPath` of events about a container: `spec.containers{web}`. */
export function containerFieldPath({ spec }: Pick<Pod, "spec">, name: string): string {
  const named = (one: AnyContainer): boolean => one.name === name;
  if (spec.initContainers?.some(named)) return `spec.initContainers{${name}}`;
  if (spec.ephemeralContainers?.some(named)) return `spec.ephemeralContainers{${name}}`;
  return `spec.containers{${name}}`;
}

/** Whether a pod shares the network of its node. */
export function isHostNetwork({ spec }: Pick<Pod, "spec">): boolean {
  return spec.hostNetwork === true;
}
