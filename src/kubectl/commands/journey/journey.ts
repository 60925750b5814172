import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError, usageError } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { objectPrinter } from "../../printers/to-printer.ts";
import { compactText } from "./compact.ts";
import { type FoundJourney, namedObjects, readJourney, servesJourneys } from "./read-journey.ts";

const formats = ["json", "yaml"];

const flags = {
  output: {
    type: "string",
    shorthand: "o",
    help: `Output format. One of: (${formats.join(", ")}).`,
  },
  uid: { type: "string", help: "The object of this UID, if several had the name" },
} satisfies FlagSet;

type JourneyInvocation = Invocation<typeof flags>;

/** `kubectl journey`: not a command of upstream's. */
export const journey = command({
  usage: "journey (TYPE NAME | TYPE/NAME)",
  flags,
  completes: { of: "resources" },
  run,
});

async function run(invocation: JourneyInvocation, context: Context): Promise<void> {
  const { flags, args } = invocation;
  if (flags.output !== "" && !formats.includes(flags.output)) {
    throw new CommandError(`--output must be one of: ${formats.join(", ")}`);
  }
  const [info, ...more] = await namedObjects(args, context);
  if (!info || more.length > 0) throw usageError(context, "requires exactly one object");
  const isServed = await servesJourneys(context);
  const found = await readJourney(info, context, { isServed, uid: flags.uid });
  warnOfSource(found, isServed, context);
  if (flags.output !== "") return printObject(found, flags.output, context);
  context.out.write(compactText(found.journey));
}

/** Says so if the journey is not a record. */
function warnOfSource({ source }: FoundJourney, isServed: boolean, { err }: Context): void {
  if (source === "journeys") return;
  const reason = isServed
    ? "nothing is recorded of this object"
    : "this server records no journeys (k8ts does)";
  err.write(
    `Note: ${reason}: this is what its conditions, events and managedFields contain, in whole seconds.\n`,
  );
}

function printObject({ journey: object }: FoundJourney, format: string, { out }: Context): void {
  const printer = objectPrinter(format, { "show-managed-fields": true }, { keepsOrder: true });
  printer?.print(object as unknown as Unstructured, out);
}
