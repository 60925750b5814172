/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/set/set_serviceaccount.go. */
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { dryRunOf } from "../../command/shared-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import { podSpecOf, refuseLocalOnServer, setFlags, setOnAll, targetsOf } from "./set-objects.ts";

const flags = { ...setFlags } satisfies FlagSet;

type AccountInvocation = Invocation<typeof flags>;

/** `kubectl set serviceaccount`. */
export const setServiceAccount = command({
  usage: "serviceaccount (-f FILENAME | TYPE NAME) SERVICE_ACCOUNT",
  aliases: ["sa"],
  flags,
  run,
});

async function run({ flags, args }: AccountInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  refuseLocalOnServer(flags.local, dryRun);
  const operation = "serviceaccount updated";
  const printer = toPrinter(flags, context, { operation, dryRun, keepsOrder: true });
  const account = args.at(-1);
  if (account === undefined) throw new CommandError("serviceaccount is required");
  const infos = await targetsOf(flags, args.slice(0, -1), context);
  const setting = {
    context,
    printer,
    dryRun,
    local: flags.local,
    fieldManager: flags["field-manager"],
    record: flags.record,
    failure: "failed to patch ServiceAccountName",
    printsUnchanged: true,
  };
  await setOnAll(setting, infos, (object) => {
    podSpecOf(object).serviceAccountName = account;
  });
}
