import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError } from "../../base/errors.ts";
import type { Context } from "../../command/context.ts";
import { filenameFlags, selectorFlag } from "../../command/shared-flags.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { fileOptions } from "../../resource/resource-arguments.ts";

/** The flags that select objects for the subcommands. */
export const objectFlags = { ...filenameFlags, ...selectorFlag } satisfies FlagSet;

interface ObjectChoice {
  readonly filename: readonly string[];
  readonly kustomize: string;
  readonly recursive: boolean;
  readonly selector: string;
}

/** Rejects command lines without objects. */
export function checkObjects(args: readonly string[], { filename, kustomize }: ObjectChoice): void {
  if (args.length === 0 && filename.length === 0 && kustomize === "") {
    throw new CommandError("required resource not specified");
  }
}

/** Finds the objects of a command line. */
export async function objectBuilder(
  args: readonly string[],
  flags: ObjectChoice,
  context: Context,
): Promise<{ readonly builder: ResourceBuilder; readonly namespace: string }> {
  const chosen = await context.cluster.namespace();
  const { namespace } = chosen;
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    selector: flags.selector,
    args,
    allowEmptySelector: true,
    continueOnError: true,
    latest: true,
    flatten: true,
  });
  return { builder, namespace };
}
