/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/kuberc/view.go. */
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError, messageOf } from "../../base/errors.ts";
import { readAll } from "../../base/host.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { globalFlags } from "../../command/global-flags.ts";
import { MissingKuberc, readKuberc } from "../../kuberc/kuberc-file.ts";
import { type Preference, preferenceVersion } from "../../kuberc/preference.ts";
import { printFlags } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import { namedKuberc, saveKuberc } from "./save-kuberc.ts";

const flags = {
  kuberc: globalFlags.kuberc,
  ...printFlags,
  output: { ...printFlags.output, default: "yaml" },
} satisfies FlagSet;

/** `kubectl kuberc view`. */
export const viewKuberc = command({
  usage: "view",
  flags,
  run,
});

async function run({ flags: values }: Invocation<typeof flags>, context: Context): Promise<void> {
  const { path, isExplicit } = namedKuberc(values.kuberc, context);
  const preference = await read(path, isExplicit, context);
  if (!preference) return;
  const { defaults, aliases } = preference;
  const shown = { ...preference, defaults: defaults ?? [], aliases: aliases ?? [] };
  const printer = toPrinter(values, context, { operation: "", keepsOrder: true });
  printer.print(shown as unknown as Unstructured, context.out);
}

async function read(
  path: string,
  isExplicit: boolean,
  context: Context,
): Promise<Preference | undefined> {
  try {
    const { preference, problem } = await readKuberc(path, context);
    if (problem !== undefined) throw new CommandError(problem);
    return preference;
  } catch (error) {
    if (!(error instanceof MissingKuberc)) {
      throw new CommandError(`error reading kuberc file: ${messageOf(error)}`, { cause: error });
    }
    if (isExplicit) {
      throw new CommandError(`kuberc file not found at ${path}`, { cause: error });
    }
    await offer(path, context);
    return undefined;
  }
}

/** Asks whether to write a file with recommended defaults. */
async function offer(path: string, context: Context): Promise<void> {
  context.out.write(`kuberc file not found at ${path}\n`);
  context.out.write(
    "Would you like to generate a default kuberc file with recommended options? (y/N): ",
  );
  const answer = (await readAll(context.stdin)).toString().split("\n")[0]?.trim() ?? "";
  if (answer.toLowerCase() === "y") await saveKuberc(recommended, path, context);
}

const recommended: Preference = {
  kind: "Preference",
  apiVersion: preferenceVersion,
  defaults: [
    { command: "apply", options: [{ name: "server-side", default: "true" }] },
    { command: "delete", options: [{ name: "interactive", default: "true" }] },
  ],
  aliases: null,
};
