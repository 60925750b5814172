import type { Propagation } from "../../actions/delete-objects.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import type { FieldValidation } from "../../command/shared-flags.ts";
import type { DryRun } from "../../printers/print-flags.ts";

/** One run of `kubectl apply`. */
export interface Applying {
  readonly context: Context;
  readonly flags: {
    readonly force: boolean;
    readonly record: boolean;
    readonly overwrite: boolean;
    readonly timeout: number;
    readonly selector: string;
    readonly subresource: string;
    readonly "grace-period": number;
    readonly "server-side": boolean;
    readonly "force-conflicts": boolean;
  };
  readonly dryRun: DryRun;
  readonly cascade: Propagation;
  readonly fieldValidation: FieldValidation;
  readonly fieldManager: string;
  /** Applied objects, which must not be pruned. */
  readonly visitedUids: Set<string>;
  readonly visitedNamespaces: Set<string>;
  /** Prints the operation on an object. */
  readonly print: (operation: string, object: Unstructured) => void;
}

/** Warns that a changed object is being deleted. */
export function warnIfDeleting({ context }: Applying, { metadata }: Unstructured): void {
  if (metadata?.deletionTimestamp === undefined) return;
  context.err.write(
    `Warning: Detected changes to resource ${metadata.name} which is currently being deleted.\n`,
  );
}
