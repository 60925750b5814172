import type { Context } from "../../command/context.ts";
import type { FieldValidation } from "../../command/shared-flags.ts";
import type { PrintValues } from "../../printers/print-flags.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { fileOptions } from "../../resource/resource-arguments.ts";
import { EditSession } from "./edit-session.ts";

interface CreateFlags extends PrintValues {
  readonly record: boolean;
  readonly filename: readonly string[];
  readonly kustomize: string;
  readonly recursive: boolean;
  readonly "save-config": boolean;
  readonly "windows-line-endings": boolean;
  readonly fieldValidation: FieldValidation;
}

/** `kubectl create --edit`: each object is edited, then created. */
export async function editBeforeCreate(context: Context, given: CreateFlags): Promise<void> {
  const chosen = await context.cluster.namespace();
  const { namespace } = chosen;
  const flags = { ...given, "field-manager": "kubectl-create" };
  const { fieldValidation } = given;
  const session = new EditSession(context, { mode: "create", flags, fieldValidation, namespace });
  const builder = new ResourceBuilder(context, {
    ...fileOptions(given, chosen),
    continueOnError: true,
    flatten: true,
  });
  await builder.visit((info) => session.edit([info]));
}
