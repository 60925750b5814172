import type { FlagSet } from "#/std/flags/flags.ts";
import { parseDuration } from "#/std/go/duration.ts";
import { CommandError, usageError } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { namedObjects } from "../journey/read-journey.ts";
import { differences } from "./differences.ts";
import { readHistory } from "./read-history.ts";

const flags = {
  at: {
    type: "string",
    help: "A revision, a time (RFC 3339), or how long ago (10m): the older version",
  },
  until: { type: "string", help: "The same for the newer version; the default is the newest" },
} satisfies FlagSet;

type HistoryInvocation = Invocation<typeof flags>;

/** `k8ts diff`: what has changed in an object since a revision or a time. Exit code 1 if anything has. */
export const diffAt = command({
  usage: "diff-at (TYPE NAME | TYPE/NAME) --at=REVISION|TIME",
  flags,
  requiredFlags: ["at"],
  completes: { of: "resources" },
  run,
});

async function run({ flags, args }: HistoryInvocation, context: Context): Promise<number> {
  const [info, ...more] = await namedObjects(args, context);
  if (!info || more.length > 0) throw usageError(context, "requires exactly one object");
  const version = async (at: string) => {
    const query: Record<string, string> = at === "" ? {} : { at: pointOf(at, context) };
    return (await readHistory(info, context, query)).versions.at(-1);
  };
  const [older, newer] = [await version(flags.at), await version(flags.until)];
  if (!older?.object) throw new CommandError("the content of that version was not kept");
  const lines = differences(older.object, newer?.deleted ? undefined : newer?.object);
  if (lines.length === 0) return 0;
  const title = (revision = "") => `${info.mapping.name}/${info.name} revision ${revision}`;
  context.out.write(`--- ${title(older.revision)} ${older.time}\n`);
  context.out.write(
    `+++ ${title(newer?.revision)} ${newer?.time} (${newer?.verb} by ${newer?.user})\n`,
  );
  context.out.write(`${lines.join("\n")}\n`);
  return 1;
}

/** A time as the server takes it; "10m" is ten minutes ago. */
function pointOf(text: string, { clock }: Context): string {
  if (/^\d+$/.test(text) || !Number.isNaN(Date.parse(text))) return text;
  try {
    return new Date(clock.now() - parseDuration(text)).toISOString();
  } catch {
    throw new CommandError(`${text} is neither a revision, a time nor a duration`);
  }
}
