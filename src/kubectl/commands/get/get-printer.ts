/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/get/{get_flags,customcolumn_flags,humanreadable_flags}.go. */
import { readFileSync } from "node:fs";
import { openFailure } from "#/std/files/file-errors.ts";
import { CommandError } from "../../base/errors.ts";
import type { Context } from "../../command/context.ts";
import {
  columnsFromFile,
  columnsFromSpec,
  customColumnsPrinter,
  noColumns,
} from "../../printers/custom-columns-printer.ts";
import { namePrinter } from "../../printers/json-printer.ts";
import type { Printer } from "../../printers/printer.ts";
import { noPrinter, objectPrinter, templatePrinter } from "../../printers/to-printer.ts";
import { getFormats } from "./get-formats.ts";
import { type GetPrintValues, getTablePrinter, type TableLook } from "./get-table-printer.ts";

/** The printer for the flags. */
export function getPrinter(flags: GetPrintValues, context: Context, look: TableLook = {}): Printer {
  const { output, template } = flags;
  const format = output === "" && template !== "" ? "go-template" : output;
  const printer = templatePrinter(format, flags, context) ?? objectPrinter(format, flags);
  if (printer) return printer;
  if (format === "" || format === "wide") {
    return getTablePrinter(flags, context, look);
  }
  const columns = columnsPrinter(format, flags, context);
  if (columns) return columns;
  if (format.toLowerCase() === "name") return namePrinter("");
  throw noPrinter(format, getFormats);
}

function columnsPrinter(
  given: string,
  flags: GetPrintValues,
  context: Context,
): Printer | undefined {
  const equals = given.indexOf("=");
  const hasInline = flags.template === "" && equals >= 0;
  const format = hasInline ? given.slice(0, equals) : given;
  const spec = hasInline ? given.slice(equals + 1) : flags.template;
  if (format !== "custom-columns" && format !== "custom-columns-file") return undefined;
  if (spec === "") throw noColumns();
  if (format === "custom-columns")
    return customColumnsPrinter(columnsFromSpec(spec), flags["no-headers"]);
  return customColumnsPrinter(columnsFromFile(readSpec(spec, context)), false);
}

function readSpec(name: string, context: Context): string {
  try {
    return readFileSync(context.path(name), "utf8");
  } catch (error) {
    throw new CommandError(`error reading template ${name}, ${openFailure(name, error)}\n`, {
      cause: error,
    });
  }
}
