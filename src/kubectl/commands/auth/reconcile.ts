/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/auth/reconcile.go. */
import { findSchema } from "#/machinery/schema/kinds.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, messageOf } from "../../base/errors.ts";
import { typedForm } from "../../base/typed-form.ts";
import { kindOf, type Unstructured } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { dryRunFlag, dryRunOf, filenameFlags } from "../../command/shared-flags.ts";
import { printFlags } from "../../printers/print-flags.ts";
import type { Printer } from "../../printers/printer.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { fileOptions } from "../../resource/resource-arguments.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { grantsText } from "./grants-text.ts";
import {
  type Reconciled,
  type ReconcileTarget,
  rbacGroup,
  reconcileObject,
} from "./reconcile-object.ts";

const flags = {
  ...printFlags,
  ...filenameFlags,
  ...dryRunFlag,
  "remove-extra-permissions": {
    type: "bool",
    help: "Remove permissions that roles have beyond those in the files",
  },
  "remove-extra-subjects": {
    type: "bool",
    help: "Remove subjects that bindings have beyond those in the files",
  },
} satisfies FlagSet;

type ReconcileFlags = Invocation<typeof flags>["flags"];

const oldVersions: ReadonlySet<string> = new Set(["v1alpha1", "v1beta1"]);

/** `kubectl auth reconcile`. */
export const reconcile = command({
  usage: "reconcile -f FILENAME",
  flags,
  async run({ flags, args }, context) {
    if (flags.filename.length === 0 && flags.kustomize === "") {
      throw new CommandError("must specify one of -f and -k");
    }
    if (args.length > 0) throw new CommandError("no arguments are allowed");
    const isDryRun = dryRunFor(flags["dry-run"], context);
    const chosen = await context.cluster.namespace();
    const builder = new ResourceBuilder(context, {
      ...fileOptions(flags, chosen),
      continueOnError: true,
      flatten: true,
      local: true,
    });
    await builder.check();
    const target: ReconcileTarget = {
      client: await context.cluster.client(),
      isDryRun,
      removesRules: flags["remove-extra-permissions"],
      removesSubjects: flags["remove-extra-subjects"],
    };
    const dryRun = isDryRun ? "client" : "none";
    const options = { operation: "reconciled", dryRun, keepsOrder: true } as const;
    const printer = toPrinter(flags, context, options);
    await builder.visit((info) => reconcileOne(info, target, { flags, printer, context }));
  },
});

function dryRunFor(value: string, context: Context): boolean {
  const place = "command reconcile";
  let dryRun: ReturnType<typeof dryRunOf>;
  try {
    dryRun = dryRunOf(value, context);
  } catch (error) {
    throw new CommandError(`error accessing --dry-run flag for ${place}: ${messageOf(error)}`);
  }
  if (dryRun === "server") {
    throw new CommandError(`--dry-run=server for ${place} is not supported yet`);
  }
  return dryRun === "client";
}

interface Output {
  readonly flags: ReconcileFlags;
  readonly printer: Printer;
  readonly context: Context;
}

async function reconcileOne(
  { object = {}, source }: ResourceInfo,
  target: ReconcileTarget,
  output: Output,
): Promise<void> {
  const { group, version, kind } = kindOf(object);
  if (group === rbacGroup && oldVersions.has(version)) {
    throw new CommandError(`only ${rbacGroup}/v1 is supported: not *${version}.${kind}`);
  }
  const expected = typedObject(object, source);
  if (group !== rbacGroup) return;
  const reconciled = await reconcileObject(expected, target);
  const kinds = { apiVersion: object.apiVersion, kind };
  output.printer.print(
    typedForm({ ...kinds, ...reconciled.object } as Unstructured),
    output.context.out,
  );
  output.context.err.write(reportOf(reconciled, output.flags));
}

/** An object decoded by its type; throws if that is not possible. */
function typedObject(object: Unstructured, source: string): Unstructured {
  const { group, version, kind } = kindOf(object);
  const refused = (reason: string, cause?: unknown): CommandError =>
    new CommandError(`unable to decode ${goQuote(source)}: ${reason}`, { cause });
  if (!findSchema(group, version, kind)) {
    throw refused(
      `no kind ${goQuote(kind)} is registered for version ${goQuote(object.apiVersion ?? "")} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  try {
    return typedForm(object);
  } catch (error) {
    throw refused(messageOf(error), error);
  }
}

/** The operation, and the grants that it added or removed. */
function reportOf(
  { action, isProtected, missing, extra }: Reconciled,
  flags: ReconcileFlags,
): string {
  if (action === "none") return "";
  const caveat = isProtected
    ? ", but object opted out (rbac.authorization.kubernetes.io/autoupdate: false)"
    : "";
  const removes = {
    rules: flags["remove-extra-permissions"],
    subjects: flags["remove-extra-subjects"],
  };
  return [
    `\treconciliation required ${action}${caveat}\n`,
    grantsText((noun) => `missing ${noun} added`, missing),
    grantsText(
      (noun) => `extra ${noun} removed`,
      extra,
      (noun) => removes[noun],
    ),
  ].join("");
}
