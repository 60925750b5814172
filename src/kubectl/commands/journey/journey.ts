import { writeFile } from "node:fs/promises";
import type { Journey } from "#/machinery/journey/step.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError, usageError } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { objectPrinter } from "../../printers/to-printer.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { compactText } from "./compact.ts";
import { compareText } from "./compare.ts";
import { otlpRequest, perfettoTrace } from "./export-spans.ts";
import { allJourneys, type FanOut, fanOutText, readFanOut } from "./fan-out.ts";
import { fullText } from "./full.ts";
import { readObjectsBelow } from "./objects-below.ts";
import { postJson } from "./post-json.ts";
import { type FoundJourney, namedObjects, readJourney, servesJourneys } from "./read-journey.ts";
import { timelineText } from "./timeline.ts";
import { watchJourney } from "./watch-journey.ts";

const formats = ["json", "yaml"];

const flags = {
  output: {
    type: "string",
    shorthand: "o",
    help: `Output format. One of: (${formats.join(", ")}).`,
  },
  timeline: { type: "bool", help: "Show bars over time, one for each step" },
  full: { type: "bool", help: "Show every step with its facts" },
  watch: {
    type: "bool",
    shorthand: "w",
    help: "After what is known, go on with steps as they are reported",
  },
  compare: { type: "string", help: "Compare with the journey of another object, as TYPE/NAME" },
  perfetto: { type: "string", help: "Write the steps to a file that Perfetto opens" },
  otlp: {
    type: "string",
    help: "Send the steps as spans to a collector (OTLP over HTTP) at this URL",
  },
  "audit-log": {
    type: "stringSlice",
    help: "For servers that record no journeys: files of the server's audit log (JSON lines), which say more",
  },
  uid: { type: "string", help: "The object of this UID, if several had the name" },
} satisfies FlagSet;

type JourneyInvocation = Invocation<typeof flags>;
type JourneyFlags = JourneyInvocation["flags"];

/** `kubectl journey`: not a command of upstream's. */
export const journey = command({
  usage: "journey (TYPE NAME | TYPE/NAME)",
  flags,
  completes: { of: "resources" },
  completesFlags: { output: { of: "words", words: formats } },
  run,
});

async function run({ flags, args }: JourneyInvocation, context: Context): Promise<void> {
  if (flags.output !== "" && !formats.includes(flags.output)) {
    throw new CommandError(`--output must be one of: ${formats.join(", ")}`);
  }
  const info = await oneObject(args, context);
  const isServed = await servesJourneys(context);
  if (flags.watch) {
    if (!isServed) throw new CommandError("--watch: this server records no journeys");
    return watchJourney(info, context);
  }
  const auditLogs = flags["audit-log"];
  const found = await readJourney(info, context, { isServed, uid: flags.uid, auditLogs });
  warnOfSource(found, { isServed, hasAudit: auditLogs.length > 0 }, context);
  if (flags.compare !== "") {
    const other = await readJourney(await oneObject([flags.compare], context), context, {
      isServed,
      auditLogs,
    });
    context.out.write(compareText(found.journey, other.journey));
    return;
  }
  if (flags.output !== "") return printObject(found, flags.output, context);
  return show(found, flags, context);
}

async function oneObject(args: readonly string[], context: Context): Promise<ResourceInfo> {
  const [info, ...more] = await namedObjects(args, context);
  if (!info || more.length > 0) throw usageError(context, "requires exactly one object");
  return info;
}

async function show(found: FoundJourney, flags: JourneyFlags, context: Context): Promise<void> {
  const { out } = context;
  const { journey } = found;
  if (flags.full) return out.write(fullText(journey));
  const exports = flags.perfetto !== "" || flags.otlp !== "";
  if (flags.timeline && !exports) return out.write(timelineText(journey, out.columns));
  const fanOut = await readAllBelow(found, context);
  if (exports) return exportAll(allJourneys(fanOut), flags, context);
  return out.write(fanOut.children.length > 0 ? fanOutText(fanOut) : compactText(journey));
}

async function readAllBelow({ journey, source }: FoundJourney, context: Context): Promise<FanOut> {
  if (source === "journeys") return readFanOut(journey, context);
  return readObjectsBelow(journey, await context.cluster.client());
}

async function exportAll(
  journeys: readonly Journey[],
  { perfetto, otlp }: JourneyFlags,
  context: Context,
): Promise<void> {
  const count = journeys.reduce((sum, { steps }) => sum + steps.length, 0);
  if (perfetto !== "") {
    await writeFile(context.path(perfetto), `${JSON.stringify(perfettoTrace(journeys))}\n`);
    context.out.write(`wrote ${count} steps to ${perfetto}\n`);
  }
  if (otlp === "") return;
  await postJson(otlp, otlpRequest(journeys), context);
  context.out.write(`sent ${count} steps to ${otlp}\n`);
}

/** Says so if the journey is not a record. */
function warnOfSource(
  { source }: FoundJourney,
  { isServed, hasAudit }: { readonly isServed: boolean; readonly hasAudit: boolean },
  { err }: Context,
): void {
  if (source === "journeys") return;
  const reason = isServed
    ? "nothing is recorded of this object"
    : "this server records no journeys (k8ts does)";
  const contents = hasAudit
    ? "the audit log contains, and its conditions, events and managedFields, these in whole seconds"
    : "its conditions, events and managedFields contain, in whole seconds. The server's audit log says more: --audit-log";
  err.write(`Note: ${reason}: this is only what ${contents}.\n`);
}

function printObject({ journey: object }: FoundJourney, format: string, { out }: Context): void {
  const printer = objectPrinter(format, { "show-managed-fields": true }, { keepsOrder: true });
  printer?.print(object as unknown as Unstructured, out);
}
