import type { ReferenceGrant } from "../api/gateway-objects.ts";

interface Referrer {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
}

interface Referent extends Referrer {
  readonly name: string;
}

/** Whether a reference is permitted: within a namespace it is, else the referent's namespace has to grant it. */
export type MayRefer = (from: Referrer, to: Referent) => boolean;

export function grantsOf(grants: readonly ReferenceGrant[]): MayRefer {
  const byNamespace = Map.groupBy(grants, ({ metadata }) => metadata.namespace ?? "");
  return (from, to) =>
    from.namespace === to.namespace ||
    (byNamespace.get(to.namespace) ?? []).some(
      ({ spec }) =>
        spec.from.some(
          ({ group, kind, namespace }) =>
            group === from.group && kind === from.kind && namespace === from.namespace,
        ) &&
        spec.to.some(
          ({ group, kind, name }) =>
            group === to.group && kind === to.kind && (!name || name === to.name),
        ),
    );
}
