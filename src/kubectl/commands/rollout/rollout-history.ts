/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/rollout/rollout_history.go. */
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { printFlags } from "../../printers/print-flags.ts";
import { TabWriter } from "../../printers/tab-writer.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { type Revision, revisionsOf, templateText } from "./revisions.ts";
import { checkObjects, objectBuilder, objectFlags } from "./rollout-objects.ts";

const flags = {
  ...printFlags,
  ...objectFlags,
  revision: { type: "int", help: "Show the details of this revision, with its Pod template" },
} satisfies FlagSet;

type HistoryInvocation = Invocation<typeof flags>;

const notFound = "unable to find the specified revision";

/** `kubectl rollout history`. */
export const rolloutHistory = command({
  usage: "history (TYPE NAME | TYPE/NAME) [flags]",
  flags,
  completes: { of: "resources", types: ["deployment", "daemonset", "statefulset"] },
  run,
});

async function run({ flags, args }: HistoryInvocation, context: Context): Promise<void> {
  checkObjects(args, flags);
  if (flags.revision < 0) {
    throw new CommandError(`revision must be a positive integer: ${flags.revision}`);
  }
  const { builder } = await objectBuilder(args, flags, context);
  await builder.visit(async (info) => {
    const revisions = await history(info, context);
    if (flags.output !== "") {
      const printer = toPrinter(flags, context, { operation: "" });
      const wanted = flags.revision > 0 ? [find(revisions, flags.revision)] : revisions;
      for (const { object } of wanted) printer.print(object, context.out);
      return;
    }
    const text = historyText(revisions, flags.revision, context);
    const title = flags.revision > 0 ? `with revision #${flags.revision}` : "";
    const printer = toPrinter(flags, context, { operation: `${title}\n${text}` });
    printer.print(info.object ?? {}, context.out);
  });
}

async function history(info: ResourceInfo, context: Context): Promise<Revision[]> {
  const revisions = await revisionsOf(info, context);
  if (revisions) return revisions;
  const { group, kind } = info.mapping;
  const shown = goQuote(group === "" ? kind : `${kind}.${group}`);
  if (knownKinds.has(`${group}/${kind}`)) {
    throw new CommandError(`no history viewer has been implemented for ${shown}`);
  }
  throw new CommandError(
    `error retrieving history for ${shown}, no visitor method exists for {${group} ${kind}}`,
  );
}

/** The kinds that upstream's visitors support, though they have no history. */
const knownKinds = new Set([
  "apps/ReplicaSet",
  "/Pod",
  "/ReplicationController",
  "batch/Job",
  "batch/CronJob",
]);

function find(revisions: readonly Revision[], number: number): Revision {
  const found = revisions.findLast((revision) => revision.number === number);
  if (!found) throw new CommandError(notFound);
  return found;
}

function historyText(revisions: readonly Revision[], number: number, context: Context): string {
  if (revisions.length === 0) return "No rollout history found.";
  if (number > 0) return templateText(find(revisions, number).template, context);
  const parts: string[] = [];
  const table = new TabWriter((text) => void parts.push(text), {
    minWidth: 0,
    padding: 2,
    remembersWidths: false,
  });
  table.write("REVISION\tCHANGE-CAUSE\n");
  for (const revision of revisions)
    table.write(`${revision.number}\t${revision.cause || "<none>"}\n`);
  table.flush();
  return parts.join("");
}
