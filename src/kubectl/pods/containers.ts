/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/util/podcmd/podcmd.go. */
import type { Container, Pod } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../base/errors.ts";
import type { Context } from "../command/context.ts";

/** Annotation with the container that commands use if none is given. */
export const defaultContainerAnnotation = "kubectl.kubernetes.io/default-container";

/** A container and its list in the Pod. */
export interface FoundContainer {
  readonly container: Pick<Container, "name" | "tty">;
  readonly list: "containers" | "initContainers" | "ephemeralContainers";
}

/** The container of a name, in any list. */
export function findContainer({ spec }: Pod, name: string): FoundContainer | undefined {
  for (const list of ["containers", "initContainers", "ephemeralContainers"] as const) {
    const container = spec?.[list]?.find((candidate) => candidate.name === name);
    if (container) return { container, list };
  }
  return undefined;
}

/** The names of all containers, with their lists. */
export function containerNames({ spec }: Pod): string {
  return [
    ...(spec?.containers ?? []).map(({ name }) => name),
    ...(spec?.ephemeralContainers ?? []).map(({ name }) => `${name} (ephem)`),
    ...(spec?.initContainers ?? []).map(({ name }) => `${name} (init)`),
  ].join(", ");
}

/** The message for a container that the Pod doesn't have. */
export function noSuchContainer(pod: Pod, name: string): CommandError {
  return new CommandError(
    `container ${name} is not valid for pod ${pod.metadata?.name} out of: ${containerNames(pod)}`,
  );
}

/** True if there is more than one container. */
export function hasSeveralContainers({ spec }: Pod): boolean {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  return containers.length > 1 || initContainers.length > 0 || ephemeralContainers.length > 0;
}

/** The container of a name; else the annotation's or the first, with a message about the choice. */
export function chooseContainer(
  pod: Pod,
  name: string,
  context: Context,
  { quiet }: { readonly quiet: boolean },
): FoundContainer {
  const { containers = [] } = pod.spec ?? {};
  const [first] = containers;
  const { metadata = {} } = pod;
  if (first === undefined) {
    throw new CommandError(
      `pod ${metadata.namespace}/${metadata.name} does not have any containers`,
    );
  }
  const wanted = name || metadata.annotations?.[defaultContainerAnnotation] || "";
  if (wanted !== "") {
    const found = findContainer(pod, wanted);
    if (!found) throw noSuchContainer(pod, wanted);
    return found;
  }
  if (!quiet && hasSeveralContainers(pod)) {
    context.err.write(
      `Defaulted container ${goQuote(first.name)} out of: ${containerNames(pod)}\n`,
    );
  }
  return { container: first, list: "containers" };
}
