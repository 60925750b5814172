/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/get/get.go (watch). */
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { CommandError, ExitError } from "../../base/errors.ts";
import { isList, type Unstructured, withListKind } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import type { Printer } from "../../printers/printer.ts";
import { TabWriter } from "../../printers/tab-writer.ts";
import { isTable } from "../../printers/table-printer.ts";
import { type BuilderOptions, ResourceBuilder } from "../../resource/builder.ts";
import { collectionPath, type Selection } from "../../resource/selector-infos.ts";
import type { GetInvocation } from "./get.ts";
import { getPrinter } from "./get-printer.ts";
import { sortObjects, sortRows } from "./sort-objects.ts";

/** Lists, then prints changes until interrupted or the server ends the watch. */
export async function watchResources(
  { flags }: GetInvocation,
  context: Context,
  options: BuilderOptions,
): Promise<void> {
  const builder = new ResourceBuilder(context, { ...options, singleResourceType: true });
  await builder.check();
  const infos = await ignoring(flags["ignore-not-found"], () => builder.infos());
  const [first] = infos;
  if (first === undefined) return;
  const selected = await builder.selections();
  const isSingle = await builder.singleItemImplied();
  const printer = getPrinter(flags, context, { withNamespace: flags["all-namespaces"] });
  const view = new WatchView(context, printer, flags["output-watch-events"]);
  view.shows = !flags["watch-only"];
  const objects = infos.flatMap(({ object }) => (object ? [object] : []));
  if (flags["sort-by"] !== "") for (const object of objects) sortShown(object, flags["sort-by"]);
  for (const object of objects) {
    if (isList(object) && !isTable(object))
      for (const item of object.items) view.print("ADDED", withListKind(item, object));
    else view.print("ADDED", object);
  }
  view.flush();
  if (selected === undefined && infos.length > 1) {
    throw new CommandError(
      `watch is only supported on individual resources and resource collections - ${infos.length} resources were found`,
    );
  }
  const isCollection =
    !isSingle || objects.some((object) => (isTable(object) ? !isSingle : isList(object)));
  view.shows = isCollection;
  const selections = selected ?? [nameSelection(first)];
  const [selection] = selections;
  if (selections.length !== 1 || selection === undefined) {
    throw new CommandError("you may only watch a single resource or type of resource at a time");
  }
  const from = isCollection ? (objects.at(-1)?.metadata?.resourceVersion ?? "") : "0";
  await follow(context, { selection, from, options, view });
}

/** The initial list is sorted, unlike later events. */
function sortShown(object: Unstructured, path: string): void {
  try {
    if (isTable(object)) {
      object.rows = sortRows(object.rows, path, (row) => row.object as Unstructured);
    } else if (isList(object)) object.items = sortObjects(object.items, path, (item) => item);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`unable to output the provided object: ${error.message}`, {
      cause: error,
    });
  }
}

function nameSelection({
  mapping,
  namespace,
  name,
}: {
  mapping: Selection["mapping"];
  namespace: string;
  name: string;
}): Selection {
  return { mapping, namespace, labels: "", fields: `metadata.name=${name}` };
}

async function ignoring<T>(ignores: boolean, run: () => Promise<T[]>): Promise<T[]> {
  try {
    return await run();
  } catch (error) {
    if (ignores && isNotFound(error)) return [];
    throw error;
  }
}

interface Following {
  readonly selection: Selection;
  readonly from: string;
  readonly options: BuilderOptions;
  readonly view: WatchView;
}

async function follow(
  context: Context,
  { selection, from, options, view }: Following,
): Promise<void> {
  const transport = await context.cluster.transport();
  const events = transport.watch({
    method: "GET",
    path: collectionPath(selection.mapping, selection.namespace),
    query: {
      watch: true,
      resourceVersion: from,
      labelSelector: selection.labels || undefined,
      fieldSelector: selection.fields || undefined,
      ...options.query,
    },
    headers: options.headers ?? {},
    signal: context.signal,
  });
  try {
    for await (const { type, object } of events) {
      view.print(type, object as Unstructured);
      view.flush();
      view.shows = true;
    }
  } catch (error) {
    if (context.signal.aborted) throw new ExitError(1);
    throw error;
  }
}

/** Prints objects, or events, into one growing table. */
class WatchView {
  /** While false, only the columns of tables are recorded. */
  shows = true;
  readonly #printer: Printer;
  readonly #asEvents: boolean;
  readonly #writer: TabWriter;
  readonly #context: Context;

  constructor(context: Context, printer: Printer, asEvents: boolean) {
    this.#context = context;
    this.#printer = printer;
    this.#asEvents = asEvents;
    this.#writer = new TabWriter((text) => context.out.write(text));
  }

  print(type: string, object: Unstructured): void {
    const shown = this.shows ? object : isTable(object) ? { ...object, rows: [] } : undefined;
    if (shown === undefined) return;
    const out = isTable(shown) ? (this.#writer as never) : this.#context.out;
    if (this.#asEvents && this.#printer.printEvent)
      this.#printer.printEvent({ type, object: shown }, out);
    else this.#printer.print(shown, out);
  }

  flush(): void {
    this.#writer.flush();
  }
}
