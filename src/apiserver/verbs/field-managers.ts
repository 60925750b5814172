import type { ObjectMeta } from "#/api/meta/v1-definitions.ts";
import type { ConstantMember } from "#/machinery/apply/compare.ts";
import { excludeFields, type FieldFilter } from "#/machinery/apply/field-filter.ts";
import { updateManagedFields } from "#/machinery/apply/update-managed-fields.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import { requestViewOf } from "../registry/complete-object.ts";
import type { VersionedResource } from "../registry/served-resource.ts";
import type { NewObject } from "../registry/sharing/new-object.ts";
import { readShared } from "../registry/sharing/shared.ts";
import type { ApiObject, Declaration } from "../registry/strategy.ts";
import { withManagedKind } from "./managed-kind.ts";

interface Manager {
  readonly manager: string;
  readonly subresource: string;
  readonly now: number;
}

/**
 * Notes in metadata.managedFields which fields an ordinary write has set or taken away. There is something to wait for
 * only where a webhook converts.
 */
export function trackManagers(
  target: VersionedResource,
  old: ApiObject | undefined,
  next: ApiObject,
  manager: Manager,
): Promise<void> | undefined {
  return trackChange(target, { old, next }, next.metadata, manager);
}

/** The same for an object that is to be created, of which one field may be shared: that is only read. */
export function trackNewObject(
  target: VersionedResource,
  { shared, origin, meta }: NewObject<ApiObject>,
  manager: Manager,
): Promise<void> | undefined {
  const change = { old: undefined, next: readShared(shared), constant: origin?.constant };
  return trackChange(target, change, meta, manager);
}

interface TrackedChange {
  readonly old: ApiObject | undefined;
  readonly next: ApiObject;
  readonly constant?: ConstantMember | undefined;
}

function trackChange(
  target: VersionedResource,
  { old, next, constant }: TrackedChange,
  meta: ObjectMeta,
  manager: Manager,
): Promise<void> | undefined {
  const liveView = old && target.fromStored(old);
  const nextView = requestViewOf(next) ?? target.fromStored(next);
  if (!(liveView instanceof Promise) && !(nextView instanceof Promise)) {
    return track(target, { old: liveView, next: nextView, constant }, meta, manager);
  }
  return Promise.all([liveView, nextView]).then(([live, converted]) =>
    track(target, { old: live, next: converted, constant }, meta, manager),
  );
}

function track(
  target: VersionedResource,
  { old, next, constant }: TrackedChange,
  meta: ObjectMeta,
  { manager, subresource, now }: Manager,
): Promise<void> | undefined {
  const resetFields = resetFieldsOf(target.resource.declaration, subresource);
  const tracked = withManagedKind(target, (kind) =>
    updateManagedFields({
      kind,
      live: old as unknown as JsonObject | undefined,
      next: next as unknown as JsonObject,
      constant,
      manager,
      subresource,
      ...(resetFields ? { resetFields: () => resetFields } : {}),
      now: formatTime(now),
    }),
  );
  if (tracked instanceof Promise) return tracked.then((result) => takeManagers(meta, result));
  takeManagers(meta, tracked);
  return undefined;
}

function takeManagers(meta: ObjectMeta, tracked: JsonObject): void {
  const { metadata } = tracked as unknown as ApiObject;
  if (metadata.managedFields) meta.managedFields = metadata.managedFields;
  else delete meta.managedFields;
}

const filterOf = memoByIdentity((paths: readonly string[]) =>
  excludeFields(...paths.map((path) => path.split("."))),
);

/** What a write at this endpoint can't set, so that nobody comes to own it there. */
export function resetFieldsOf(
  declaration: Declaration,
  subresource: string,
): FieldFilter | undefined {
  const paths =
    subresource === ""
      ? (declaration.resetFields ?? defaultReset(declaration))
      : viewReset(declaration, subresource);
  return paths && paths.length > 0 ? filterOf(paths) : undefined;
}

const statusOnly: readonly string[] = ["status"];
const specOnly: readonly string[] = ["spec"];

function defaultReset({ status }: Declaration): readonly string[] | undefined {
  return status ? statusOnly : undefined;
}

function viewReset(
  { status, views }: Declaration,
  subresource: string,
): readonly string[] | undefined {
  const view = subresource === "status" ? status : views?.[subresource];
  if (view === undefined) return undefined;
  return (
    (view === true ? undefined : view.resetFields) ??
    (subresource === "status" ? specOnly : undefined)
  );
}
