import type { Context } from "../../command/context.ts";
import type { PrintValues } from "../../printers/print-flags.ts";
import { TablePrinter } from "../../printers/table-printer.ts";

export interface GetPrintValues extends PrintValues {
  readonly "no-headers": boolean;
  readonly "show-labels": boolean;
  readonly "show-kind": boolean;
  readonly "label-columns": readonly string[];
}

export interface TableLook {
  readonly withNamespace?: boolean;
  /** The kind, printed before names; undefined to omit it. */
  readonly kind?: string;
}

/** The table printer for the flags. */
export function getTablePrinter(
  flags: GetPrintValues,
  context: Context,
  look: TableLook = {},
): TablePrinter {
  return new TablePrinter({
    wide: flags.output === "wide",
    noHeaders: flags["no-headers"],
    showLabels: flags["show-labels"],
    columnLabels: flags["label-columns"],
    now: () => context.clock.now(),
    ...look,
  });
}
