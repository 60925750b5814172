import type { ObjectMeta } from "#/api/meta/v1-definitions.ts";
import type { ConstantMember } from "#/machinery/apply/compare.ts";
import { excludeFields, type FieldFilter } from "#/machinery/apply/field-filter.ts";
import { updateSteps } from "#/machinery/apply/update-managed-fields.ts";
import type { ManagedKind } from "#/machinery/apply/versions.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { runSteps, type Steps } from "#/std/base/steps.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import { inPace, type Pace } from "../model/pace.ts";
import { requestViewOf } from "../registry/complete-object.ts";
import type { VersionedResource } from "../registry/served-resource.ts";
import type { NewObject } from "../registry/sharing/new-object.ts";
import { readShared } from "../registry/sharing/shared.ts";
import type { ApiObject, Declaration } from "../registry/strategy.ts";
import { managedKind, withManagedKind } from "./managed-kind.ts";

interface Manager {
  readonly manager: string;
  readonly subresource: string;
  readonly now: number;
  /** The pace of a large request. */
  readonly pace?: Pace | undefined;
}

/** Records in metadata.managedFields which fields a write (other than apply) has set or removed. */
export async function convertAndTrack(
  target: VersionedResource,
  old: ApiObject | undefined,
  next: ApiObject,
  manager: Manager,
): Promise<void> {
  await trackRequest(target, { old, next, meta: next.metadata }, manager);
}

/** The same for an object to be created, with a field that may be shared: that is only read. */
export async function trackNewObject(
  target: VersionedResource,
  { shared, origin, meta }: NewObject<ApiObject>,
  manager: Manager,
): Promise<void> {
  const next = readShared(shared);
  await trackRequest(target, { old: undefined, next, constant: origin?.constant, meta }, manager);
}

/** The same for resources without conversion webhook, which are all that the server itself writes. */
export function trackManagers(
  target: VersionedResource,
  old: ApiObject | undefined,
  next: ApiObject,
  manager: Manager,
): void {
  const change = { old, next, meta: next.metadata };
  takeManagers(change.meta, runSteps(localSteps(target, change, manager)));
}

/** A write, and the metadata in which its managers are recorded. */
interface Change {
  readonly old: ApiObject | undefined;
  readonly next: ApiObject;
  readonly constant?: ConstantMember | undefined;
  readonly meta: ObjectMeta;
}

async function trackRequest(
  target: VersionedResource,
  change: Change,
  manager: Manager,
): Promise<void> {
  // Only custom resources have these, possibly with a conversion webhook.
  if (!target.resource.declaration.managedVersions) {
    const steps = localSteps(target, change, manager);
    takeManagers(change.meta, await inPace(manager.pace, "field managers", steps));
    return;
  }
  const { old, next, meta } = change;
  const converted = {
    ...change,
    old: old && (await target.convert(old)),
    next: requestViewOf(next) ?? (await target.convert(next)),
  };
  const tracked = await withManagedKind(target, (kind) =>
    inPace(manager.pace, "field managers", track(target, kind, converted, manager)),
  );
  takeManagers(meta, tracked);
}

function localSteps(
  target: VersionedResource,
  change: Change,
  manager: Manager,
): Steps<JsonObject> {
  const { local } = target;
  if (!local) throw new Error("a webhook must convert the object first");
  const { old, next } = change;
  const views = { ...change, old: old && local.fromStored(old), next: local.fromStored(next) };
  return track(target, managedKind(target), views, manager);
}

function track(
  target: VersionedResource,
  kind: ManagedKind,
  { old, next, constant }: Change,
  { manager, subresource, now, pace }: Manager,
): Steps<JsonObject> {
  const resetFields = resetFieldsOf(target.resource.declaration, subresource);
  return updateSteps({
    kind,
    live: old as unknown as JsonObject | undefined,
    next: next as unknown as JsonObject,
    constant,
    manager,
    subresource,
    ...(resetFields ? { resetFields: () => resetFields } : {}),
    now: formatTime(now),
    isLarge: pace?.isLarge,
  });
}

function takeManagers(meta: ObjectMeta, tracked: JsonObject): void {
  const { metadata } = tracked as unknown as ApiObject;
  if (metadata.managedFields) meta.managedFields = metadata.managedFields;
  else delete meta.managedFields;
}

const filterOf = memoByIdentity((paths: readonly string[]) =>
  excludeFields(...paths.map((path) => path.split("."))),
);

/** Fields that a write at this endpoint can't set, so that no manager owns them there. */
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
