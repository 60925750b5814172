import { replicaSets } from "#/api/apps/v1.ts";
import { pods } from "#/api/core/v1.ts";
import { isOwnedBy } from "#/machinery/meta/owner-references.ts";
import type { AnyObject } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { names } from "../../base/text.ts";

/** Foreground deletion: dependents go first. */
export const dependentsRemain = cause<AnyObject>({
  name: "dependents-remain",
  layer: "deletion",
  group: "deletion",
  isSummary: true,
  find(object, view) {
    const { metadata } = object;
    const { deletionTimestamp, finalizers = [], namespace, uid = "" } = metadata;
    if (!deletionTimestamp || !finalizers.includes("foregroundDeletion") || !namespace)
      return undefined;
    const owner = { metadata: { ...metadata, uid } };
    const left = [replicaSets, pods].flatMap((resource) =>
      ((view.list(resource as typeof pods, { namespace }) ?? []) as readonly AnyObject[])
        .filter((one) => isOwnedBy(one, owner))
        .map((one) => `${resource.kind.toLowerCase()}/${one.metadata.name}`),
    );
    return {
      sentence: `it is being deleted in the foreground, and waits for its dependents ${names(left) || "(of another kind)"} to be deleted first`,
      since: deletionTimestamp,
      evidence: [`finalizers: ${finalizers.join(", ")}`],
      fix: left.slice(0, 2).map((name) => `kubectl why ${name}`),
    };
  },
});
