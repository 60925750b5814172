import { humanDuration } from "#/machinery/time/human-duration.ts";
import { parseMicroTime } from "#/machinery/time/time.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError, usageError } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { escapeTerminal } from "../../printers/escape-terminal.ts";
import { TabWriter } from "../../printers/tab-writer.ts";
import { objectPrinter } from "../../printers/to-printer.ts";
import { namedObjects } from "../journey/read-journey.ts";
import { readHistory, type ShownVersion } from "./read-history.ts";

const formats = ["json", "yaml"];
/** Limit of the changed fields in a line (count). */
const maxChanged = 4;

const flags = {
  output: {
    type: "string",
    shorthand: "o",
    help: `Output format. One of: (${formats.join(", ")}).`,
  },
  at: { type: "string", help: "Only the version of this revision or time" },
} satisfies FlagSet;

type HistoryInvocation = Invocation<typeof flags>;

/** `kubectl history`: not a command of upstream's. */
export const history = command({
  usage: "history (TYPE NAME | TYPE/NAME)",
  flags,
  completes: { of: "resources" },
  completesFlags: { output: { of: "words", words: formats } },
  run,
});

async function run({ flags, args }: HistoryInvocation, context: Context): Promise<void> {
  const { output, at } = flags;
  if (output !== "" && !formats.includes(output)) {
    throw new CommandError(`--output must be one of: ${formats.join(", ")}`);
  }
  const [info, ...more] = await namedObjects(args, context);
  if (!info || more.length > 0) throw usageError(context, "requires exactly one object");
  const found = await readHistory(info, context, at === "" ? {} : { at });
  if (output === "") return printTable(found.versions, context);
  const printer = objectPrinter(output, { "show-managed-fields": true }, { keepsOrder: true });
  printer?.print(found as unknown as Unstructured, context.out);
}

function printTable(versions: readonly ShownVersion[], { out, clock }: Context): void {
  const writer = new TabWriter((text) => out.write(text));
  writer.write("REVISION\tAGE\tVERB\tUSER\tMANAGER\tCHANGED\n");
  for (const {
    revision,
    time,
    verb,
    subresource,
    user = "",
    manager = "",
    changed = [],
  } of versions) {
    const age = humanDuration(clock.now() - parseMicroTime(time));
    const what = subresource === undefined ? verb : `${verb} ${subresource}`;
    const shown = changed.slice(0, maxChanged).join(" ");
    const more = changed.length > maxChanged ? ` and ${changed.length - maxChanged} more` : "";
    const cells = [revision, age, what, user, manager, shown + more].map(escapeTerminal);
    writer.write(`${cells.join("\t").trimEnd()}\n`);
  }
  writer.flush();
}
