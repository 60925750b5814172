/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/create. */
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { CommandError, messageOf, usageError } from "../../base/errors.ts";
import { typedForm } from "../../base/typed-form.ts";
import { kindOf, type Unstructured } from "../../base/unstructured.ts";
import { type Command, command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { updateLastApplied } from "../../command/last-applied.ts";
import {
  dryRunFlag,
  dryRunOf,
  fieldManagerFlag,
  saveConfigFlag,
  validateFlag,
  validationOf,
} from "../../command/shared-flags.ts";
import { printFlags } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import { collectionPath } from "../../resource/selector-infos.ts";
import { createTyped } from "./create-typed.ts";

const sharedFlags = {
  ...printFlags,
  ...saveConfigFlag,
  ...validateFlag,
  ...dryRunFlag,
  ...fieldManagerFlag("kubectl-create"),
} satisfies FlagSet;

/** The arguments of a generator. */
export interface Generation<Flags extends FlagSet> {
  readonly name: string;
  readonly flags: FlagValues<Flags>;
  /** The arguments after the name. */
  readonly words: readonly string[];
  /** The object's namespace: empty unless the command line names it. */
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly context: Context;
}

interface Generator<Flags extends FlagSet> {
  readonly usage: string;
  readonly aliases?: readonly string[];
  readonly flags: Flags;
  readonly requiredFlags?: readonly (keyof Flags & string)[];
  readonly completesFlags?: Command<Flags>["completesFlags"];
  readonly showsFlagsInUsage?: boolean;
  /** Prefix of a server's error; such a failure loses its reason, as upstream's does. */
  readonly failure?: string | ((flags: FlagValues<Flags>) => string);
  /** Throws for invalid flags. */
  readonly build: (generation: Generation<Flags>) => MaybePromise<Unstructured>;
}

/** A subcommand of `kubectl create` that creates one object from flags. */
export function generator<Flags extends FlagSet>(declaration: Generator<Flags>): Command {
  const { usage, aliases, flags, requiredFlags, completesFlags, showsFlagsInUsage } = declaration;
  return command({
    usage,
    ...(aliases ? { aliases } : {}),
    flags: { ...sharedFlags, ...flags } as typeof sharedFlags & Flags,
    ...(requiredFlags ? { requiredFlags } : {}),
    ...(completesFlags ? { completesFlags } : {}),
    ...(showsFlagsInUsage ? { showsFlagsInUsage } : {}),
    run: (invocation, context) => generate(declaration, invocation as never, context),
  });
}

/** The single name that a command line must have. */
export function nameFrom(
  { args, argsBeforeDash }: Pick<Invocation, "args" | "argsBeforeDash">,
  context: Context,
): string {
  const count = argsBeforeDash ?? args.length;
  if (count !== 1) throw usageError(context, `exactly one NAME is required, got ${count}`);
  return args[0] ?? "";
}

async function generate<Flags extends FlagSet>(
  { build, failure }: Generator<Flags>,
  invocation: Invocation<typeof sharedFlags>,
  context: Context,
): Promise<void> {
  const { flags, args } = invocation;
  const name = nameFrom(invocation, context);
  const dryRun = dryRunOf(flags["dry-run"], context);
  const { namespace, explicit } = await context.cluster.namespace();
  const printer = toPrinter(flags, context, { operation: "created", dryRun, keepsOrder: true });
  const fieldValidation = validationOf(flags.validate);
  const own = flags as unknown as FlagValues<Flags>;
  const built = await build({
    name,
    flags: own,
    words: args.slice(1),
    metadata: { name, ...(explicit ? { namespace } : {}) },
    context,
  });
  const object = updateLastApplied(typedForm(built), { create: flags["save-config"], typed: true });
  if (dryRun === "client") return printer.print(object, context.out);
  try {
    const query = {
      dryRun: dryRun === "server" ? "All" : undefined,
      fieldManager: flags["field-manager"],
      fieldValidation,
    };
    printer.print(await createTyped(context, object, namespace, query), context.out);
  } catch (error) {
    if (failure === undefined) throw error;
    const prefix = typeof failure === "string" ? failure : failure(own);
    throw new CommandError(`${prefix} ${messageOf(error)}`, { cause: error });
  }
}

/** Creates an object of a built-in kind, in a namespace if it has one. */
export async function createObject(
  context: Context,
  object: Unstructured,
  namespace: string,
  query: Readonly<Record<string, string | undefined>>,
): Promise<Unstructured> {
  const mapper = await context.cluster.mapper();
  const mapping = await mapper.forKind(kindOf(object));
  const client = await context.cluster.client();
  const path = collectionPath(mapping, mapping.namespaced ? namespace : "");
  return client.request<Unstructured>({ method: "POST", path, query, body: object });
}
