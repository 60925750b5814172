/** Upstream: k8s.io/kubectl/pkg/cmd/apply/apply_set_last_applied.go. */
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { goJson } from "#/machinery/values/go-format.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { command, type Invocation } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CommandError } from "../../errors.ts";
import { dryRunFlag, dryRunOf, filenameFlags } from "../../flags/shared-flags.ts";
import { lastAppliedAnnotation, originalConfiguration } from "../../last-applied.ts";
import { sortedKeys } from "../../printers/json-printer.ts";
import { printFlags } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { fileOptions } from "../../resource/resource-arguments.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import type { Unstructured } from "../../unstructured.ts";

const flags = {
  ...printFlags,
  ...dryRunFlag,
  filename: filenameFlags.filename,
  "create-annotation": {
    type: "bool",
    help: "Create the annotation 'last-applied-configuration' in objects that do not have it",
  },
} satisfies FlagSet;

type SetInvocation = Invocation<typeof flags>;

/** `kubectl apply set-last-applied`. */
export const setLastApplied = command({
  usage: "set-last-applied -f FILENAME",
  flags,
  run,
});

/** What is kept in the annotation: the object as it is. */
export function annotationPatch(object: Unstructured): {
  readonly text: string;
  readonly patch: object;
} {
  const text = goJson(sortedKeys(object));
  return { text, patch: { metadata: { annotations: { [lastAppliedAnnotation]: text } } } };
}

async function run({ flags }: SetInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  const chosen = await context.cluster.namespace();
  const printer = toPrinter(flags, context, { operation: "configured", dryRun });
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    flatten: true,
  });
  const changes: { info: ResourceInfo; patch: object }[] = [];
  await builder.visit(async (info) => {
    const wanted = info.object ?? {};
    const { patch } = annotationPatch(wanted);
    const original = originalConfiguration(await info.get());
    if (original === undefined && !flags["create-annotation"]) {
      throw new CommandError(
        `no last-applied-configuration annotation found on resource: ${info.name}, to create the annotation, run the command with --create-annotation`,
      );
    }
    if (original !== undefined && deepEqual(JSON.parse(original), wanted)) {
      context.out.write(`set-last-applied ${info.name}: no changes required.\n`);
    } else changes.push({ info, patch });
  });
  const client = await context.cluster.client();
  for (const { info, patch } of changes) {
    const options = { type: "merge", dryRun: dryRun === "server" } as const;
    const object =
      dryRun === "client"
        ? info.object
        : await client.patch(info.mapping, info.ref(), patch, options);
    printer.print(object ?? {}, context.out);
  }
}
