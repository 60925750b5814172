/** Upstream: k8s.io/kubectl/pkg/cmd/set/set_serviceaccount.go. */
import type { FlagSet } from "#/std/flags.ts";
import { command, type Invocation } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CommandError } from "../../errors.ts";
import { dryRunOf } from "../../flags/shared-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { podSpecOf, setFlags, setOnAll } from "./set-objects.ts";

const flags = { ...setFlags } satisfies FlagSet;

type AccountInvocation = Invocation<typeof flags>;

/** `kubectl set serviceaccount`. */
export const setServiceAccount = command({
  usage: "serviceaccount (-f FILENAME | TYPE NAME) SERVICE_ACCOUNT",
  aliases: ["sa"],
  description: "Changes the service account of the Pods of an object.",
  examples: [["Of a deployment", "kubectl set serviceaccount deployment web account1"]],
  flags,
  run,
});

async function run({ flags, args }: AccountInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  if (flags.local && dryRun === "server") {
    throw new CommandError(
      "cannot specify --local and --dry-run=server - did you mean --dry-run=client?",
    );
  }
  const operation = "serviceaccount updated";
  const printer = toPrinter(flags, context, { operation, dryRun, keepsOrder: true });
  const { namespace, explicit } = await context.cluster.namespace();
  const account = args.at(-1);
  if (account === undefined) throw new CommandError("serviceaccount is required");
  const infos = await new ResourceBuilder(context, {
    namespace,
    enforceNamespace: explicit && flags.filename.length > 0,
    filenames: flags.filename,
    kustomize: flags.kustomize,
    recursive: flags.recursive,
    local: flags.local,
    continueOnError: true,
    flatten: true,
    ...(flags.local
      ? {}
      : { allowEmptySelector: flags.all, args: args.slice(0, -1), latest: true }),
  }).infos();
  const setting = {
    context,
    printer,
    dryRun,
    local: flags.local,
    fieldManager: flags["field-manager"],
    failure: "failed to patch ServiceAccountName",
    printsUnchanged: true,
  };
  await setOnAll(setting, infos, (object) => {
    podSpecOf(object).serviceAccountName = account;
  });
}
