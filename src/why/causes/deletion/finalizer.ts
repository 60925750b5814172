import type { AnyObject } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { names } from "../../base/text.ts";
import { finalizerOwner } from "../../facts/finalizers.ts";

/** Of the group's causes the last: any object that is kept by a finalizer. */
export const finalizerRemains = cause<AnyObject>({
  name: "finalizer",
  layer: "deletion",
  group: "deletion",
  find({ metadata }, _view, { kind }) {
    const { deletionTimestamp, finalizers = [], name } = metadata;
    const [first] = finalizers;
    if (!deletionTimestamp || !first) return undefined;
    return {
      sentence: `it is being deleted, and waits for its finalizer ${names(finalizers)}: ${finalizerOwner(first)} must remove it`,
      since: deletionTimestamp,
      evidence: [
        `metadata.finalizers: ${finalizers.join(", ")}`,
        `deletionTimestamp: ${deletionTimestamp}`,
      ],
      fix: [
        "# find out whether that program runs; only if it is gone for good, and knowing that it cleans up nothing then:",
        `kubectl patch ${kind.toLowerCase()} ${name} --type=merge -p '{"metadata":{"finalizers":null}}'`,
      ],
    };
  },
});
