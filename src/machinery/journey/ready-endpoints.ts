import type { EndpointSlice } from "#/api/discovery/v1.ts";
import type { StepObject } from "./step.ts";

/** An object that has become a ready endpoint, and the node it is on. */
export interface ReadyEndpoint {
  readonly of: StepObject;
  readonly nodeName: string | undefined;
}

/** The objects that are ready in a slice, and were not in its version before. */
export function newlyReady(
  before: EndpointSlice | undefined,
  now: EndpointSlice,
): readonly ReadyEndpoint[] {
  const was = new Set(readyEndpoints(before).map(({ of }) => of.uid));
  return readyEndpoints(now).filter(({ of }) => !was.has(of.uid));
}

function readyEndpoints(slice: EndpointSlice | undefined): readonly ReadyEndpoint[] {
  return (slice?.endpoints ?? []).flatMap(({ conditions, targetRef, nodeName }) => {
    const { kind, namespace, name, uid } = targetRef ?? {};
    if (conditions?.ready === false || !kind || !namespace || !name || !uid) return [];
    return [{ of: { resource: pluralOf(kind), namespace, name, uid }, nodeName }];
  });
}

/** The plural name of the kinds that endpoints refer to. */
const pluralOf = (kind: string): string => `${kind.toLowerCase()}s`;
