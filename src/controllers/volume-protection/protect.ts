/** Upstream: pkg/controller/volume/{pvcprotection,pvprotection,vacprotection}. */

import type { Resource } from "#/api/base/resource.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { type Controller, type ControllerContext, controller } from "#/controller/controller.ts";
import type { Watch } from "#/controller/watch.ts";
import type { ManagerOptions } from "../base/manager-options.ts";

interface ProtectionDeclaration<T> {
  readonly name: string;
  readonly resource: Resource<T>;
  readonly finalizer: string;
  /** Watches of objects whose changes can end a use. */
  readonly watches: readonly Watch<ManagerOptions>[];
  readonly reads: readonly Resource[];
  readonly isUsed: (object: T, context: ControllerContext<ManagerOptions>) => boolean;
}

/** A controller that keeps objects in use from being deleted, by a finalizer. */
export function protection<T extends { metadata: ObjectMeta }>(
  declaration: ProtectionDeclaration<T>,
): Controller<ManagerOptions> {
  const { name, resource, finalizer, watches, reads, isUsed } = declaration;
  return controller<T, ManagerOptions>({
    name,
    for: resource,
    watches,
    reads,
    async reconcile(object, context) {
      const { finalizers = [], deletionTimestamp } = object.metadata;
      const isProtected = finalizers.includes(finalizer);
      const write = (list: string[]): Promise<T> =>
        context.client.update(resource, {
          ...object,
          metadata: { ...object.metadata, finalizers: list },
        });
      if (deletionTimestamp === undefined) {
        if (!isProtected) await write([...finalizers, finalizer]);
      } else if (isProtected && !isUsed(object, context)) {
        await write(finalizers.filter((one) => one !== finalizer));
      }
    },
  });
}
