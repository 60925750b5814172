/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/annotate/annotate.go. */

import type { FlagSet } from "#/std/flags/flags.ts";
import {
  listPairs,
  pairFlags,
  sendPairs,
  validatePairs,
  visitPairs,
  withPairs,
} from "../actions/metadata-pairs.ts";
import { CommandError } from "../base/errors.ts";
import { type Changes, parsePairs, splitPairs } from "../base/pairs.ts";
import type { Unstructured } from "../base/unstructured.ts";
import { command, type Invocation } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { recordChange } from "../command/record-change.ts";
import { dryRunOf, filenameFlags } from "../command/shared-flags.ts";
import { toPrinter } from "../printers/to-printer.ts";

const flags = {
  ...pairFlags("annotate", "annotations"),
  recursive: { ...filenameFlags.recursive, default: true },
} satisfies FlagSet;

type AnnotateInvocation = Invocation<typeof flags>;

/** The change-cause annotation, which may always be overwritten. */
const changeCause = "kubernetes.io/change-cause";

/** `kubectl annotate`. */
export const annotate = command({
  usage:
    "annotate [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
  flags,
  completes: { of: "resources" },
  run,
});

async function run({ flags, args }: AnnotateInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  const { resources, pairs } = splitPairs(args, "annotation");
  const changes = parsePairs(pairs, "annotation", { removable: true });
  const request = { flags, resources, changes, dryRun };
  validatePairs(request, { what: "annotation", file: "rsrc" });
  refuseBoth(changes);
  const printer = toPrinter(flags, context, { operation: "annotated", dryRun });
  await visitPairs(request, context, { all: flags.all }, async (info, isSingle) => {
    const before = info.object ?? {};
    const after = changed(recordChange(before, flags, context), changes, flags);
    const isLocal = dryRun === "client" || flags.local || flags.list;
    const object = isLocal ? after : await sendPairs(request, info, before, after, context);
    if (flags.list) {
      const { annotations = {} } = object.metadata ?? {};
      listPairs(context, info, annotations, { isSingle, what: "annotations" });
    } else printer.print(object, context.out);
  });
}

function refuseBoth({ set, remove }: Changes): void {
  const both = remove.filter((key) => Object.hasOwn(set, key));
  if (both.length === 0) return;
  throw new CommandError(
    `can not both modify and remove the following annotation(s) in the same command: ${both.join(", ")}`,
  );
}

function changed(
  object: Unstructured,
  { set, remove }: Changes,
  flags: AnnotateInvocation["flags"],
): Unstructured {
  const before = object.metadata?.annotations ?? {};
  const taken = Object.entries(set).filter(
    ([key, value]) => key !== changeCause && key in before && before[key] !== value,
  );
  if (!flags.overwrite && taken.length > 0) {
    const texts = taken.map(([key]) => `'${key}' already has a value (${before[key]})`);
    throw new CommandError(
      `--overwrite is false but found the following declared annotation(s): ${texts.join("; ")}`,
    );
  }
  const kept = Object.entries({ ...before, ...set }).filter(([key]) => !remove.includes(key));
  return withPairs(object, "annotations", Object.fromEntries(kept), flags);
}
