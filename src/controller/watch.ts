import type { Resource } from "#/api/base/resource.ts";
import type { OwnerReference } from "#/api/meta/v1.ts";
import type { Informer, InformerOptions } from "#/client/informers/informer.ts";
import type { ObjectHandler } from "#/client/informers/informer-cache.ts";
import { NotSyncedError } from "#/client/informers/informers.ts";
import { metaOf } from "#/client/object-key.ts";
import type { ControllerContext } from "./controller-context.ts";

/** Puts a key, "namespace/name", into a controller's queue. */
export type Enqueue = (key: string) => void;

/** A source of keys: objects whose changes concern others. */
export interface Watch<Options = unknown> {
  /** The informer that must have synced before anything is reconciled. */
  informer(context: ControllerContext<Options>): Informer<unknown>;
  subscribe(context: ControllerContext<Options>, enqueue: Enqueue): Disposable;
}

export interface WatchOptions<T> extends InformerOptions<T> {
  /** Whether a change matters; old is undefined for new objects, now for deleted ones. Default: all do. */
  readonly predicate?: (now: T | undefined, old: T | undefined) => boolean;
}

/** Watches a resource: each change gives the keys to reconcile, of the object as it was and as it is. */
export function watch<T, Options = unknown>(
  resource: Resource<T>,
  keys: (object: T, context: ControllerContext<Options>) => Iterable<string>,
  options: WatchOptions<T> = {},
): Watch<Options> {
  const { predicate, ...selection } = options;
  const informer = ({ informers }: ControllerContext<Options>) =>
    informers.informer(resource, selection);
  return {
    informer,
    subscribe(context, enqueue) {
      const enqueueAll = (now: T | undefined, old: T | undefined): void => {
        if (predicate && !predicate(now, old)) return;
        const found = new Set<string>();
        for (const object of [old, now]) {
          if (object !== undefined) for (const key of keys(object, context)) found.add(key);
        }
        for (const key of found) enqueue(key);
      };
      return informer(context).subscribe(handlerOf(enqueueAll));
    },
  };
}

/** Watches what objects of a resource own: a change of theirs gives their controller's key. */
export function watchOwned(owned: Resource, owner: Resource): Watch {
  return watch(owned, (object) => {
    const { ownerReferences = [], namespace } = metaOf(object);
    const reference = ownerReferences.find(({ controller }) => controller);
    if (!reference || !isOf(reference, owner)) return [];
    return [owner.namespaced ? `${namespace}/${reference.name}` : reference.name];
  });
}

/** Whether a reference is to an object of this resource, in whatever version. */
function isOf({ apiVersion, kind }: OwnerReference, resource: Resource): boolean {
  const slash = apiVersion.indexOf("/");
  return kind === resource.kind && apiVersion.slice(0, Math.max(slash, 0)) === resource.group;
}

/** Every kind of change as one; what needs a store that isn't there yet is done when it is. */
export function handlerOf<T>(
  changed: (now: T | undefined, old: T | undefined) => void,
): ObjectHandler<T> {
  const attempt = (now: T | undefined, old: T | undefined): void => {
    try {
      changed(now, old);
    } catch (error) {
      if (!(error instanceof NotSyncedError)) throw error;
      error.synced.then(
        () => attempt(now, old),
        () => undefined, // It was stopped before it had synced: so are we.
      );
    }
  };
  return {
    added: (object) => attempt(object, undefined),
    updated: (old, now) => attempt(now, old),
    deleted: (last) => attempt(undefined, last),
  };
}
