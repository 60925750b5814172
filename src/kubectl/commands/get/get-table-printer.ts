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
  /** Shown before names, if it is to be. */
  readonly kind?: string;
}

/** The printer of tables that the flags ask for. */
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
