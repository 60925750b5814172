/** Upstream: k8s.io/kubectl/pkg/cmd/get/get.go (Run). */
import type { Context } from "../../context.ts";
import type { Mapping } from "../../discovery/discovered-group.ts";
import { CommandError, Errors } from "../../errors.ts";
import type { Printer } from "../../printers/printer.ts";
import { TabWriter } from "../../printers/tab-writer.ts";
import { isTable, type Table } from "../../printers/table-printer.ts";
import type { ResourceBuilder } from "../../resource/builder.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import type { Unstructured } from "../../unstructured.ts";
import { type GetInvocation, withoutNotFound } from "./get.ts";
import { getPrinter } from "./get-printer.ts";
import { sortObjects } from "./sort-objects.ts";

/** Prints tables, one for each type, with an empty line between them. */
export async function printInfos(
  { flags }: GetInvocation,
  context: Context,
  builder: ResourceBuilder,
): Promise<void> {
  const { infos: found, error } = await builder.tryInfos();
  const failure = flags["ignore-not-found"] ? withoutNotFound(error) : error;
  const sortBy = flags["sort-by"];
  const infos = sortBy === "" ? found : sorted(found, sortBy);
  const showsKind = flags["show-kind"] || hasSeveralKinds(infos);
  const output = new SeparatedOutput(context);
  const writer = new TabWriter((text) => output.write(text));
  let printer: Printer | undefined;
  let last: Mapping | undefined;
  for (const { mapping, object } of infos) {
    if (printer === undefined || last === undefined || !sameResource(last, mapping)) {
      writer.flush();
      writer.forgetWidths();
      if (last !== undefined && !flags["no-headers"]) output.separate();
      printer = getPrinter(flags, context, {
        withNamespace: flags["all-namespaces"] && mapping.namespaced,
        ...(showsKind ? { kind: kindName(mapping) } : {}),
      });
      last = mapping;
    }
    if (object) printer.print(object, writer as never);
  }
  writer.flush();
  if (output.isEmpty && !flags["ignore-not-found"] && failure === undefined) {
    await sayNothingFound(infos, flags["all-namespaces"], context);
  }
  if (failure !== undefined) throw new Errors([failure]);
}

async function sayNothingFound(
  infos: readonly ResourceInfo[],
  allNamespaces: boolean,
  context: Context,
): Promise<void> {
  const isNamespaced = !allNamespaces && infos.every((info) => info.namespaced);
  const { namespace } = await context.cluster.namespace();
  context.err.write(
    isNamespaced ? `No resources found in ${namespace} namespace.\n` : "No resources found\n",
  );
}

/** Rows of each table, or objects among each other. */
function sorted(infos: ResourceInfo[], path: string): ResourceInfo[] {
  const tables = infos.map(({ object }) => object !== undefined && isTable(object));
  if (!tables.includes(true)) {
    return infos.length < 2
      ? infos
      : sortObjects(infos, path, ({ object }) => object as Unstructured);
  }
  return infos.filter(({ object }) => !object || !isTable(object) || sortRows(object, path));
}

/** Whether a table could be sorted; upstream shows nothing of one that can't. */
function sortRows(table: Table, path: string): boolean {
  try {
    table.rows = sortObjects(table.rows, path, (row) => row.object as Unstructured);
    return true;
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}

function hasSeveralKinds(infos: readonly ResourceInfo[]): boolean {
  const [first] = infos;
  return first !== undefined && infos.some(({ mapping }) => !sameKind(mapping, first.mapping));
}

function sameKind(a: Mapping, b: Mapping): boolean {
  return a.kind === b.kind && a.group === b.group && a.version === b.version;
}

function sameResource(a: Mapping, b: Mapping): boolean {
  return a.name === b.name && a.group === b.group && a.version === b.version;
}

/** `Deployment.apps`. */
export function kindName({ kind, group }: Mapping): string {
  return group === "" ? kind : `${kind}.${group}`;
}

/** An output that puts an empty line before what comes next, once asked. */
class SeparatedOutput {
  isEmpty = true;
  readonly #context: Context;
  #separates = false;

  constructor(context: Context) {
    this.#context = context;
  }

  separate(): void {
    this.#separates = !this.isEmpty;
  }

  write(text: string): void {
    if (text === "") return;
    this.#context.out.write(this.#separates ? `\n${text}` : text);
    this.#separates = false;
    this.isEmpty = false;
  }
}
