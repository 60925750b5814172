import { keepTimes } from "#/machinery/apply/keep-times.ts";
import { invalid as invalidField } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { conflict, invalid } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { inPace } from "../model/pace.ts";
import { beforeUpdate, completesDeletion, permitUpdate } from "./object-lifecycle.ts";
import { parseVersion } from "./object-version.ts";
import type { Basis } from "./settle-write.ts";
import type { StoredObject } from "./stored-object.ts";
import type { Outcome, StoredWrites } from "./stored-writes.ts";
import type { ApiObject, Claim, Declaration, RequestContext } from "./strategy.ts";

/** Validating admission. It sees the object as it would be stored. */
export type Validate = (
  object: ApiObject | undefined,
  old: ApiObject | undefined,
) => MaybePromise<void>;

/** One attempt to replace the current object. */
interface Replacement {
  readonly declaration: Declaration;
  readonly object: ApiObject;
  readonly current: StoredObject;
  readonly basis: Basis;
  readonly validate: Validate;
  readonly context: RequestContext;
}

/** Replaces an object, or removes it if the update removes its last finalizer. */
export async function replaceObject(writes: StoredWrites, step: Replacement): Promise<Outcome> {
  const { declaration, object, current, validate, context } = step;
  checkVersion(declaration, object, current);
  const claim: Claim | undefined = await declaration.beginUpdate?.(
    object,
    current.parsed(),
    context,
  );
  try {
    if (context.pace?.isLarge) await context.pace.rest("validation");
    const checked = inPace(
      context.pace,
      "validation",
      beforeUpdate(declaration, object, current.parsed(), context),
    );
    if (checked) await checked;
    if (declaration.permitUpdate)
      await permitUpdate(declaration, object, current.parsed(), context);
    if (context.pace?.isLarge) await context.pace.rest("validating admission");
    await validate(object, current.parsed());
    if (context.pace?.isLarge) await context.pace.rest("comparison");
    const outcome = await writeOrRemove(writes, step);
    if (outcome.object) await claim?.commit();
    else await claim?.rollback();
    return outcome;
  } catch (error) {
    await claim?.rollback();
    throw error;
  }
}

async function writeOrRemove(writes: StoredWrites, step: Replacement): Promise<Outcome> {
  const { declaration, object, current, basis, context } = step;
  if (completesDeletion(object, current.parsed()) && (declaration.mayRemove?.(object) ?? true)) {
    basis.isCertain = true;
    const outcome = await writes.remove(object, current, context);
    // The response is that of an update, which made no version of its own.
    return outcome.object ? { object: outcome.object.at(current.revision) } : outcome;
  }
  object.metadata.resourceVersion = String(current.revision);
  const next = keepTimes(
    current.parsed() as unknown as JsonObject,
    object as unknown as JsonObject,
  );
  if (context.pace?.isLarge) await context.pace.rest("comparison");
  const same = deepEqual(next, current.parsed());
  if (context.pace?.isLarge) await context.pace.rest("encoding");
  const leaves = same && (context.dryRun || !(await writes.isStale(current, context.pace)));
  // In both cases the store checks the version, or has done so.
  basis.isCertain = true;
  if (leaves) return { object: current };
  return writes.write(next as unknown as ApiObject, current.revision, context, current);
}

/** An update with a resourceVersion must have the current one; some kinds require one. */
function checkVersion(declaration: Declaration, object: ApiObject, current: StoredObject): void {
  const { handle } = declaration;
  const { resourceVersion, name = "" } = object.metadata;
  if (!resourceVersion || resourceVersion === "0") {
    if (declaration.allowUnconditionalUpdate !== false) {
      object.metadata.resourceVersion = String(current.revision);
      return;
    }
    const path = fieldPath("metadata", "resourceVersion");
    const error = invalidField(path, 0, "must be specified for an update");
    throw invalid({ group: handle.group, kind: handle.name }, name, [error]);
  }
  if (resourceVersion === String(current.revision)) return;
  parseVersion(resourceVersion);
  throw conflict(handle, name);
}
