/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/edit/edit.go. */
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import { subresources } from "../../command/completion.ts";
import type { Context } from "../../command/context.ts";
import {
  fieldManagerFlag,
  filenameFlags,
  recordFlag,
  saveConfigFlag,
  subresourceFlag,
  validateFlag,
  validationOf,
} from "../../command/shared-flags.ts";
import { printFlags } from "../../printers/print-flags.ts";
import { noPrinter } from "../../printers/to-printer.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { fileOptions } from "../../resource/resource-arguments.ts";
import { EditSession } from "./edit-session.ts";

const flags = {
  ...printFlags,
  ...filenameFlags,
  ...recordFlag,
  ...validateFlag,
  ...saveConfigFlag,
  ...fieldManagerFlag("kubectl-edit"),
  ...subresourceFlag("Edit this subresource"),
  "output-patch": { type: "bool", help: "Print the patch, if the object was changed" },
  "windows-line-endings": {
    type: "bool",
    help: "Use the line endings of Windows in the file; default those of your operating system",
  },
} satisfies FlagSet;

const editFormats = ["json", "kyaml", "yaml"];

type EditInvocation = Invocation<typeof flags>;

/** `kubectl edit`. */
export const edit = command({
  usage: "edit (RESOURCE/NAME | -f FILENAME)",
  flags,
  completes: { of: "resources" },
  completesFlags: { subresource: subresources },
  run,
});

async function run({ flags, args }: EditInvocation, context: Context): Promise<void> {
  const chosen = await context.cluster.namespace();
  const { namespace } = chosen;
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    subresource: flags.subresource,
    args,
    allowEmptySelector: true,
    latest: true,
    continueOnError: true,
    flatten: true,
  });
  await builder.check();
  if (!["", ...editFormats].includes(flags.output)) throw noPrinter(flags.output, editFormats);
  const fieldValidation = validationOf(flags.validate);
  const infos = await builder.infos();
  if (infos.length === 0) throw new CommandError("edit cancelled, no objects found");
  await new EditSession(context, { mode: "normal", flags, fieldValidation, namespace }).edit(infos);
}
