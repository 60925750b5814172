/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/apply/apply_edit_last_applied.go. */
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { originalConfiguration } from "../../command/last-applied.ts";
import {
  fieldManagerFlag,
  filenameFlags,
  recordFlag,
  validateFlag,
  validationOf,
} from "../../command/shared-flags.ts";
import { printFlags } from "../../printers/print-flags.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { infoOf } from "../../resource/object-infos.ts";
import { fileOptions } from "../../resource/resource-arguments.ts";
import { EditSession } from "../edit/edit-session.ts";

const flags = {
  ...printFlags,
  ...filenameFlags,
  ...recordFlag,
  ...validateFlag,
  ...fieldManagerFlag("kubectl-client-side-apply"),
  "windows-line-endings": {
    type: "bool",
    help: "Use the line endings of Windows in the file; default those of your operating system",
  },
} satisfies FlagSet;

type EditInvocation = Invocation<typeof flags>;

/** `kubectl apply edit-last-applied`. */
export const editLastApplied = command({
  usage: "edit-last-applied (RESOURCE/NAME | -f FILENAME)",
  flags,
  completes: { of: "resources" },
  run,
});

async function run({ flags, args }: EditInvocation, context: Context): Promise<void> {
  const chosen = await context.cluster.namespace();
  const { namespace } = chosen;
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    args,
    allowEmptySelector: true,
    latest: true,
    continueOnError: true,
    flatten: true,
  });
  const fieldValidation = validationOf(flags.validate);
  const infos = await builder.infos();
  const texts = infos.flatMap(({ object }) => originalConfiguration(object ?? {}) ?? []);
  if (texts.length === 0) {
    throw new CommandError(
      "no last-applied-configuration annotation found on resources, to create the annotation, use command `kubectl apply set-last-applied --create-annotation`",
    );
  }
  const annotated = await Promise.all(
    texts.map((text) =>
      infoOf(context, JSON.parse(text) as Unstructured, { source: "edited-file", local: false }),
    ),
  );
  const session = new EditSession(context, {
    mode: "last-applied",
    flags,
    fieldValidation,
    namespace,
  });
  await session.edit(annotated);
}
