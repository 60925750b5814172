/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/events/events.go. */

import { type Event, events as eventResource } from "#/api/core/v1.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { escapeFieldValue } from "#/machinery/meta/fields.ts";
import { StatusError } from "#/machinery/meta/status-error.ts";
import { parseTime } from "#/machinery/time/time.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { goSort } from "#/std/go/go-sort.ts";
import { CommandError, ExitError, NoResourceMatch, PlainError } from "../../base/errors.ts";
import { DeadlineError, unreachable } from "../../base/time-limited.ts";
import { isList, type Unstructured } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { allNamespacesFlag, chunkSizeFlag } from "../../command/shared-flags.ts";
import { groupResource } from "../../discovery/rest-mapper.ts";
import { objectFormats, printFlags } from "../../printers/print-flags.ts";
import type { Printer } from "../../printers/printer.ts";
import { EventTable } from "./event-table.ts";

const flags = {
  ...printFlags,
  ...allNamespacesFlag(),
  ...chunkSizeFlag,
  watch: { type: "bool", shorthand: "w", help: "After the list, go on with events as they arrive" },
  for: { type: "string", help: "Only events about this object, as TYPE/NAME" },
  types: { type: "stringSlice", help: "Only events of these types: Normal, Warning" },
  "no-headers": { type: "bool", help: "Print the table without its first line" },
} satisfies FlagSet;

type EventsFlags = Invocation<typeof flags>["flags"];

/** Limit of events in a page (count). */
const pageSize = 500;

/** `kubectl events`. */
export const events = command({
  usage: `events [(-o|--output=)${objectFormats.join("|")}] [--for TYPE/NAME] [--watch] [--types=Normal,Warning]`,
  flags,
  interruptedCode: 1,
  async run({ flags }, context) {
    const { namespace } = await context.cluster.namespace();
    const fieldSelector = flags.for === "" ? "" : await selectorFor(flags.for, context);
    const printer = await eventPrinter(flags, context);
    const wanted = wantedTypes(flags.types);
    const search: Search = {
      namespace: flags["all-namespaces"] ? "" : namespace,
      fieldSelector,
      isWanted: ({ type = "" }) => wanted === undefined || wanted.has(type.toLowerCase()),
    };
    if (flags.watch) return watchEvents(search, printer, context);
    const found = await listEvents(search, context);
    if (found.length === 0) {
      const place = flags["all-namespaces"] ? "" : ` in ${namespace} namespace`;
      context.err.write(`No events found${place}.\n`);
      return;
    }
    printList(found, printer, flags, context);
  },
});

interface Search {
  /** "" for all. */
  readonly namespace: string;
  readonly fieldSelector: string;
  readonly isWanted: (event: Event) => boolean;
}

/** A field selector of the events about an object. */
async function selectorFor(given: string, context: Context): Promise<string> {
  const [type = "", name, ...more] = given.split("/");
  if (name === undefined) throw new CommandError("--for must be in resource/name form");
  if (more.length > 0) {
    throw new CommandError("arguments in resource/name form may not have more than one slash");
  }
  if (type === "") throw new CommandError("a resource must be present, got: /, Resource=");
  const mapping = await (await context.cluster.mapper()).findResource(type.toLowerCase());
  if (!mapping) {
    const { resource, group } = groupResource(type.toLowerCase());
    throw new PlainError(new NoResourceMatch(resource, group).message);
  }
  if (name === "") return "";
  const parts = { kind: mapping.kind, apiVersion: apiVersionOf(mapping), name };
  return Object.entries(parts)
    .map(([field, value]) => `involvedObject.${field}=${escapeFieldValue(value)}`)
    .join(",");
}

async function eventPrinter(flags: EventsFlags, context: Context): Promise<Printer> {
  if (flags.output !== "") return typedPrinter(flags, context);
  return new EventTable({
    noHeaders: flags["no-headers"],
    withNamespace: flags["all-namespaces"],
    now: () => context.clock.now(),
  });
}

/** Prints events with their fields in the order of the Go type. */
async function typedPrinter(flags: EventsFlags, context: Context): Promise<Printer> {
  const [{ toPrinter }, { typedForm }] = await Promise.all([
    import("../../printers/to-printer.ts"),
    import("../../base/typed-form.ts"),
  ]);
  const printer = toPrinter(flags, context, { operation: "", keepsOrder: true });
  const typed = (object: Unstructured): Unstructured =>
    isList(object) ? { ...object, items: object.items.map(typedForm) } : typedForm(object);
  return { print: (object, out) => printer.print(typed(object), out) };
}

function wantedTypes(types: readonly string[]): ReadonlySet<string> | undefined {
  if (types.length === 0) return undefined;
  const wanted = new Set(types.map((type) => type.toLowerCase()));
  if ([...wanted].some((type) => type !== "normal" && type !== "warning")) {
    throw new CommandError("valid --types are Normal or Warning");
  }
  return wanted;
}

async function listEvents({ namespace, fieldSelector, isWanted }: Search, context: Context) {
  const client = await context.cluster.client();
  const found: Event[] = [];
  let token: string | undefined;
  do {
    const options = { namespace, fieldSelector: fieldSelector || undefined, limit: pageSize };
    try {
      const page = await client.list(eventResource, { ...options, continue: token });
      found.push(...page.items);
      token = page.metadata.continue || undefined;
    } catch (error) {
      throw listFailure(error, fieldSelector);
    }
  } while (token !== undefined);
  return goSort(found.filter(isWanted), (a, b) => eventTime(a) < eventTime(b));
}

/** Adds the resource to a failure of a list. */
function listFailure(error: unknown, fieldSelector: string): unknown {
  if (error instanceof DeadlineError) return unreachable(); // Upstream lists by a watch.
  if (!(error instanceof StatusError)) return error;
  const { reason, message = "" } = error.status;
  if (reason !== "BadRequest" && reason !== "NotFound") return error;
  const what =
    fieldSelector === ""
      ? 'Unable to list "events"'
      : `Unable to find "events" that match label selector "", field selector ${goQuote(fieldSelector)}`;
  return new StatusError({ ...error.status, message: `${what}: ${message}` });
}

/** Time of the last occurrence of an event. */
function eventTime({ series, lastTimestamp, eventTime: time }: Event): number {
  const text = series ? series.lastObservedTime : lastTimestamp || time;
  return text ? parseTime(text) : Number.NEGATIVE_INFINITY;
}

function printList(
  found: readonly Event[],
  printer: Printer,
  flags: EventsFlags,
  context: Context,
): void {
  // A list of a Go type has no name, and upstream's message doesn't mention it.
  if (flags.output.toLowerCase() === "name") return;
  const items = found as readonly unknown[] as Unstructured[];
  printer.print({ kind: "EventList", apiVersion: "v1", metadata: {}, items }, context.out);
}

async function watchEvents(search: Search, printer: Printer, context: Context): Promise<void> {
  const client = await context.cluster.client();
  const watched = client.watch(eventResource, {
    namespace: search.namespace,
    fieldSelector: search.fieldSelector || undefined,
    allowWatchBookmarks: false,
    signal: context.signal,
  });
  try {
    for await (const { type, object } of watched) {
      // Events are deleted after an hour; these deletions are not printed.
      if (type === "DELETED" || !search.isWanted(object)) continue;
      printer.print(object as unknown as Unstructured, context.out);
    }
  } catch (error) {
    if (context.signal.aborted) throw new ExitError(1);
    throw error;
  }
}
