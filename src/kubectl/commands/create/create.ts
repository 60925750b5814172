import { withoutVersion } from "../../base/unstructured.ts";
/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/create/create.go. */

import type { FlagSet } from "#/std/flags/flags.ts";
import { addSource, CommandError, usageError } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { updateLastApplied } from "../../command/last-applied.ts";
import { rawRequest } from "../../command/raw-request.ts";
import { recordChange } from "../../command/record-change.ts";
import {
  dryRunFlag,
  dryRunOf,
  fieldManagerFlag,
  filenameFlags,
  recordFlag,
  saveConfigFlag,
  selectorFlag,
  validateFlag,
  validationOf,
} from "../../command/shared-flags.ts";
import { printFlags } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { fileOptions } from "../../resource/resource-arguments.ts";
import { createCommands } from "./index.ts";

const flags = {
  ...printFlags,
  ...filenameFlags,
  ...recordFlag,
  ...validateFlag,
  ...saveConfigFlag,
  ...dryRunFlag,
  ...selectorFlag,
  ...fieldManagerFlag("kubectl-create"),
  edit: { type: "bool", help: "Open the objects in an editor before they are created" },
  "windows-line-endings": {
    type: "bool",
    help: "With --edit: use the line endings of Windows; default those of your operating system",
  },
  raw: {
    type: "string",
    help:
      "Path on the server to POST the file to, as it is. The kubeconfig says how to reach " +
      "the server",
  },
} satisfies FlagSet;

type CreateInvocation = Invocation<typeof flags>;

/** `kubectl create`. */
export const create = command({
  usage: "create -f FILENAME",
  flags,
  subcommands: createCommands,
  run,
});

async function run({ flags, args }: CreateInvocation, context: Context): Promise<void> {
  if (args.length > 0) throw usageError(context, `Unexpected args: [${args.join(" ")}]`);
  const dryRun = dryRunOf(flags["dry-run"], context);
  const fieldValidation = validationOf(flags.validate);
  const printer = toPrinter(flags, context, { operation: "created", dryRun });
  validate(flags);
  if (flags.edit) {
    const { editBeforeCreate } = await import("../edit/edit-before-create.ts");
    return editBeforeCreate(context, { ...flags, fieldValidation });
  }
  if (flags.raw !== "") {
    return rawRequest(context, { method: "POST", uri: flags.raw, filename: flags.filename[0] });
  }
  const chosen = await context.cluster.namespace();
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    selector: flags.selector,
    continueOnError: true,
    flatten: true,
    validate: fieldValidation,
  });
  let count = 0;
  await builder.visit(async (info) => {
    const saved = updateLastApplied(info.object ?? {}, { create: flags["save-config"] });
    const object = recordChange(saved, flags, context);
    info.object = object;
    if (dryRun !== "client") {
      const client = await context.cluster.client();
      try {
        const options = {
          namespace: info.namespace,
          dryRun: dryRun === "server",
          fieldManager: flags["field-manager"],
          fieldValidation,
        };
        info.refresh(await client.create(info.mapping, withoutVersion(object), options));
      } catch (error) {
        throw addSource("creating", info.source, error);
      }
    }
    count++;
    printer.print(info.object ?? object, context.out);
  });
  if (count === 0) throw new CommandError("no objects passed to create");
}

function validate(flags: CreateInvocation["flags"]): void {
  if (flags.filename.length === 0 && flags.kustomize === "") {
    throw new CommandError("must specify one of -f and -k");
  }
  if (flags.raw === "") return;
  if (flags.edit) throw new CommandError("--raw and --edit are mutually exclusive");
  if (flags.filename.length !== 1) {
    throw new CommandError("--raw can only use a single local file or stdin");
  }
  if (/^https?:\/\//.test(flags.filename[0] ?? "")) {
    throw new CommandError("--raw cannot read from a url");
  }
  if (flags.recursive) throw new CommandError("--raw and --recursive are mutually exclusive");
  if (flags.selector !== "") {
    throw new CommandError("--raw and --selector (-l) are mutually exclusive");
  }
  if (flags.output !== "") throw new CommandError("--raw and --output are mutually exclusive");
}
