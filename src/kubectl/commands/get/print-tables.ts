/** Upstream: k8s.io/kubectl/pkg/cmd/get/get.go (Run). */
import type { Context } from "../../context.ts";
import type { Mapping } from "../../discovery/discovered-group.ts";
import { Errors } from "../../errors.ts";
import { TabWriter } from "../../printers/tab-writer.ts";
import type { TablePrinter } from "../../printers/table-printer.ts";
import type { ResourceBuilder } from "../../resource/builder.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import type { GetInvocation } from "./get.ts";
import { getTablePrinter } from "./get-table-printer.ts";
import { withoutNotFound } from "./not-found.ts";

/** Prints tables, one for each type, with an empty line between them. */
export async function printTables(
  { flags }: GetInvocation,
  context: Context,
  builder: ResourceBuilder,
): Promise<void> {
  const tables = new Tables(flags, context);
  const sortBy = flags["sort-by"];
  let isNamespaced = true;
  let error: unknown;
  if (sortBy === "" && (await builder.selections())?.length === 1) {
    // Pages of one type are printed as they come, and kept no longer.
    error = await builder.tryVisit((info) => {
      isNamespaced &&= info.namespaced;
      tables.print(info, flags["show-kind"]);
    });
  } else {
    const found = await builder.tryInfos();
    error = found.error;
    const infos =
      sortBy === ""
        ? found.infos
        : (await import("./sort-infos.ts")).sortInfos(found.infos, sortBy);
    isNamespaced = infos.every((info) => info.namespaced);
    const showsKind = flags["show-kind"] || hasSeveralKinds(infos);
    for (const info of infos) tables.print(info, showsKind);
  }
  const isEmpty = tables.finish();
  const failure = flags["ignore-not-found"] ? withoutNotFound(error) : error;
  if (isEmpty && !flags["ignore-not-found"] && failure === undefined) {
    await sayNothingFound(isNamespaced && !flags["all-namespaces"], context);
  }
  if (failure !== undefined) throw new Errors([failure]);
}

/** Tables on their way out. */
class Tables {
  readonly #flags: GetInvocation["flags"];
  readonly #context: Context;
  readonly #output: SeparatedOutput;
  readonly #writer: TabWriter;
  #printer: TablePrinter | undefined;
  #last: Mapping | undefined;

  constructor(flags: GetInvocation["flags"], context: Context) {
    this.#flags = flags;
    this.#context = context;
    this.#output = new SeparatedOutput(context);
    this.#writer = new TabWriter((text) => this.#output.write(text));
  }

  print({ mapping, object }: ResourceInfo, showsKind: boolean): void {
    if (!this.#printer || !this.#last || !sameResource(this.#last, mapping)) {
      this.#writer.flush();
      this.#writer.forgetWidths();
      if (this.#last && !this.#flags["no-headers"]) this.#output.separate();
      this.#printer = getTablePrinter(this.#flags, this.#context, {
        withNamespace: this.#flags["all-namespaces"] && mapping.namespaced,
        ...(showsKind ? { kind: kindName(mapping) } : {}),
      });
      this.#last = mapping;
    }
    if (object) this.#printer.print(object, this.#writer);
  }

  /** Whether nothing was printed. */
  finish(): boolean {
    this.#writer.flush();
    return this.#output.isEmpty;
  }
}

async function sayNothingFound(isNamespaced: boolean, context: Context): Promise<void> {
  const { namespace } = await context.cluster.namespace();
  context.err.write(
    isNamespaced ? `No resources found in ${namespace} namespace.\n` : "No resources found\n",
  );
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
function kindName({ kind, group }: Mapping): string {
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
