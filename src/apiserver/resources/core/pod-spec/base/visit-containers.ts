import type { Container, PodSpec } from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";

/** Every container of a Pod: init containers, containers, then ephemeral containers. */
export function* allContainers(spec: PodSpec): Generator<Container, void> {
  yield* spec.initContainers ?? [];
  yield* spec.containers ?? [];
  yield* spec.ephemeralContainers ?? [];
}

/** Calls a function with every container of a Pod and its path. */
export function visitContainers(
  spec: PodSpec,
  path: FieldPath,
  visit: (container: Container, path: FieldPath) => void,
): void {
  visitEach(spec.initContainers, path.child("initContainers"), visit);
  visitEach(spec.containers, path.child("containers"), visit);
  visitEach(spec.ephemeralContainers, path.child("ephemeralContainers"), visit);
}

function visitEach(
  containers: readonly Container[] | undefined,
  path: FieldPath,
  visit: (container: Container, path: FieldPath) => void,
): void {
  containers?.forEach((container, index) => {
    visit(container, path.index(index));
  });
}

/** Whether a container has restartPolicy Always: an init container with it is a sidecar. */
export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always";
