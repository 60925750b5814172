/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/label/label.go. */

import { isLabelValue } from "#/machinery/meta/names.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import {
  listPairs,
  pairFlags,
  sendPairs,
  validatePairs,
  visitPairs,
  withPairs,
} from "../actions/metadata-pairs.ts";
import { CommandError, throwAll } from "../base/errors.ts";
import { type Changes, splitPairs } from "../base/pairs.ts";
import type { Unstructured } from "../base/unstructured.ts";
import { command, type Invocation } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { recordChange } from "../command/record-change.ts";
import { dryRunOf } from "../command/shared-flags.ts";
import { toPrinter } from "../printers/to-printer.ts";

const flags = pairFlags("label", "labels");

type LabelInvocation = Invocation<typeof flags>;

/** `kubectl label`. */
export const label = command({
  usage:
    "label [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
  flags,
  completes: { of: "resources" },
  run,
});

async function run({ flags, args }: LabelInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  const { resources, pairs } = splitPairs(args, "label");
  const changes = parseLabels(pairs);
  const request = { flags, resources, changes, dryRun };
  validatePairs(request, { what: "label", file: "pod" });
  const options = { allowEmptySelector: flags.all };
  await visitPairs(request, context, options, async (info, isSingle) => {
    const before = info.object ?? {};
    const isLocal = dryRun === "client" || flags.local || flags.list;
    if (!isLocal) warnOfMissing(before, changes, context);
    const { object: labeled, operation } = changed(before, changes, flags);
    const object = recordChange(labeled, flags, context);
    if (!isLocal && operation !== "not labeled") {
      await sendPairs(request, info, before, object, context);
    }
    if (flags.list) {
      listPairs(context, info, object.metadata?.labels ?? {}, { isSingle, what: "labels" });
    } else toPrinter(flags, context, { operation, dryRun }).print(object, context.out);
  });
}

function parseLabels(pairs: readonly string[]): Changes {
  const set: Record<string, string> = {};
  const remove: string[] = [];
  for (const pair of pairs) {
    if (!pair.includes("=")) {
      remove.push(pair.slice(0, -1));
      continue;
    }
    const [key = "", value = "", ...rest] = pair.split("=");
    if (rest.length > 0) throw new CommandError(`invalid label spec: ${pair}`);
    const problems = isLabelValue(value);
    if (problems.length > 0) {
      throw new CommandError(`invalid label value: ${goQuote(pair)}: ${problems.join(";")}`);
    }
    set[key] = value;
  }
  if (remove.some((key) => Object.hasOwn(set, key))) {
    throw new CommandError("can not both modify and remove a label in the same command");
  }
  return { set, remove };
}

function warnOfMissing({ metadata }: Unstructured, { remove }: Changes, context: Context): void {
  for (const key of remove) {
    if (metadata?.labels?.[key] === undefined)
      context.out.write(`label ${goQuote(key)} not found.\n`);
  }
}

/** An object with its labels changed, and the name of the operation. */
function changed(
  object: Unstructured,
  { set, remove }: Changes,
  flags: LabelInvocation["flags"],
): { object: Unstructured; operation: string } {
  const before = object.metadata?.labels ?? {};
  if (!flags.overwrite) {
    const taken = Object.entries(set).filter(
      ([key, value]) => key in before && before[key] !== value,
    );
    throwAll(
      taken.map(
        ([key]) =>
          new CommandError(
            `'${key}' already has a value (${before[key]}), and --overwrite is false`,
          ),
      ),
    );
  }
  const added = Object.entries(set).filter(([key, value]) => before[key] !== value);
  const removed = remove.filter((key) => key in before);
  const kept = Object.entries(before).filter(([key]) => !removed.includes(key));
  const labels = { ...Object.fromEntries(kept), ...Object.fromEntries(added) };
  return {
    object: withPairs(object, "labels", labels, flags),
    operation: operationOf(added.length > 0, removed.length > 0),
  };
}

function operationOf(hasAdded: boolean, hasRemoved: boolean): string {
  if (hasAdded && hasRemoved) return "modified";
  if (hasAdded) return "labeled";
  return hasRemoved ? "unlabeled" : "not labeled";
}
