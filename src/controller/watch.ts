import type { Resource } from "#/api/base/resource.ts";
import type { OwnerReference } from "#/api/meta/v1.ts";
import type { Informer, InformerOptions } from "#/client/informers/informer.ts";
import type { ObjectHandler } from "#/client/informers/informer-cache.ts";
import { NotSyncedError } from "#/client/informers/informers.ts";
import { metaOf } from "#/client/object-key.ts";
import type { ControllerContext } from "./controller-context.ts";

/** Adds a key, "namespace/name", to a controller's queue, because of a change of an object. */
type Enqueue = (key: string, object: unknown, resource: Resource) => void;

/** A source of keys: objects whose changes affect the controller's objects. */
export interface Watch<Options = unknown> {
  /** The informer that must have synced before the first reconcile. */
  informer(context: ControllerContext<Options>): Informer<unknown>;
  subscribe(context: ControllerContext<Options>, enqueue: Enqueue): Disposable;
}

interface WatchOptions<T> extends InformerOptions<T> {
  /**
   * Whether a change is relevant; old is undefined for new objects, now for deleted ones. Default:
   * all are.
   */
  readonly predicate?: (now: T | undefined, old: T | undefined) => boolean;
}

/** Watches a resource: each change enqueues the keys of the old and of the new object. */
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
        for (const key of found) enqueue(key, now ?? old, resource);
      };
      return informer(context).subscribe(handlerOf(enqueueAll));
    },
  };
}

/** Watches objects owned by a resource: a change enqueues their controller's key. */
export function watchOwned(owned: Resource, owner: Resource): Watch {
  return watch(owned, (object) => {
    const { ownerReferences = [], namespace } = metaOf(object);
    const reference = ownerReferences.find(({ controller }) => controller);
    if (!reference || !isOf(reference, owner)) return [];
    return [owner.namespaced ? `${namespace}/${reference.name}` : reference.name];
  });
}

/** Whether a reference is to an object of this resource, in any version. */
function isOf({ apiVersion, kind }: OwnerReference, resource: Resource): boolean {
  const slash = apiVersion.indexOf("/");
  return kind === resource.kind && apiVersion.slice(0, Math.max(slash, 0)) === resource.group;
}

/** Handles all changes alike; keys that need an unsynced store are enqueued when it has synced. */
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
        () => undefined, // The informer was stopped before it had synced, and so is this controller.
      );
    }
  };
  return {
    added: (object) => attempt(object, undefined),
    updated: (old, now) => attempt(now, old),
    deleted: (last) => attempt(undefined, last),
  };
}
