/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/get/get.go (Run, separatorWriter). */
import type { Context } from "../../command/context.ts";
import type { Mapping } from "../../discovery/discovered-group.ts";
import { TabWriter } from "../../printers/tab-writer.ts";
import type { TablePrinter } from "../../printers/table-printer.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import type { GetInvocation } from "./get.ts";
import { getTablePrinter } from "./get-table-printer.ts";

/** Buffered tables. */
export class Tables {
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

function sameResource(a: Mapping, b: Mapping): boolean {
  return a.name === b.name && a.group === b.group && a.version === b.version;
}

/** `Deployment.apps`. */
function kindName({ kind, group }: Mapping): string {
  return group === "" ? kind : `${kind}.${group}`;
}

/** An output that inserts an empty line before the next text, on request. */
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
