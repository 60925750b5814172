/** Upstream: pkg/controller/garbagecollector/graph_builder.go (KEP-2336). */
import type { OwnerReference } from "#/api/meta/v1.ts";

/**
 * The coordinates of an object. Those of an owner that is known only by a reference are a guess:
 * the namespace is that of the dependent.
 */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** A dependent, as far as the coordinates of its owners matter. */
interface Dependent {
  readonly identity: Identity;
  readonly owners: readonly OwnerReference[];
}

/** A text that identifies the coordinates, and sorts by kind, version, namespace and name. */
export const identityKey = ({ kind, apiVersion, namespace = "", name }: Identity): string =>
  [kind, apiVersion, namespace, name].join("\0");

export const isSameIdentity = (one: Identity, other: Identity): boolean =>
  identityKey(one) === identityKey(other);

/** The coordinates at which a dependent in this namespace expects its owner. */
export const referredIdentity = (
  { apiVersion, kind, name }: OwnerReference,
  namespace: string | undefined,
): Identity => ({ apiVersion, kind, name, namespace });

/** Whether a reference agrees with an owner's coordinates, the namespace aside. */
export const refersTo = (
  reference: OwnerReference,
  { apiVersion, kind, name }: Identity,
): boolean =>
  reference.apiVersion === apiVersion && reference.kind === kind && reference.name === name;

/**
 * Divides dependents by whether their references to a uid agree with the coordinates of the owner.
 * A dependent with several references to that uid may be in both lists.
 */
export function partitionDependents<T extends Dependent>(
  dependents: Iterable<T>,
  uid: string,
  owner: Identity,
): { readonly matching: readonly T[]; readonly others: readonly T[] } {
  const matching: T[] = [];
  const others: T[] = [];
  for (const dependent of dependents) {
    if (owner.namespace && owner.namespace !== dependent.identity.namespace) {
      others.push(dependent);
      continue;
    }
    const references = dependent.owners.filter((reference) => reference.uid === uid);
    if (references.some((reference) => refersTo(reference, owner))) matching.push(dependent);
    if (references.some((reference) => !refersTo(reference, owner))) others.push(dependent);
  }
  return { matching, others };
}

/**
 * The next coordinates at which dependents expect an owner that does not exist at the given ones:
 * the first in order after these, else the first of all. Undefined if all dependents agree.
 */
export function alternateIdentity(
  dependents: Iterable<Dependent>,
  uid: string,
  absent: Identity,
): Identity | undefined {
  const tried = identityKey(absent);
  const candidates = new Map<string, Identity>();
  for (const { owners, identity } of dependents) {
    for (const reference of owners) {
      if (reference.uid !== uid) continue;
      // The absent object had no namespace, so its kind has none.
      const isClusterScoped =
        !absent.namespace &&
        reference.apiVersion === absent.apiVersion &&
        reference.kind === absent.kind;
      const candidate = referredIdentity(
        reference,
        isClusterScoped ? undefined : identity.namespace,
      );
      candidates.set(identityKey(candidate), candidate);
    }
  }
  candidates.delete(tried);
  const keys = [...candidates.keys()].sort();
  const next = keys.find((key) => key > tried) ?? keys[0];
  return next === undefined ? undefined : candidates.get(next);
}
