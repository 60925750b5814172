/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/apply/apply_set_last_applied.go. */
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { annotationPatch, originalConfiguration } from "../../command/last-applied.ts";
import { dryRunFlag, dryRunOf, filenameFlags } from "../../command/shared-flags.ts";
import { printFlags } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { fileOptions } from "../../resource/resource-arguments.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";

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
