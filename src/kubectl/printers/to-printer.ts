/** Upstream: staging/src/k8s.io/cli-runtime/pkg/genericclioptions/{print,json_yaml,jsonpath,template}_flags.go. */
import { readFileSync } from "node:fs";
import { openFailure } from "#/std/files/file-errors.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../base/errors.ts";
import { goTemplatePrinter } from "./go-template-printer.ts";
import { jsonPrinter, namePrinter, yamlPrinter } from "./json-printer.ts";
import { jsonPathPrinter } from "./jsonpath-printer.ts";
import { kyamlPrinter } from "./kyaml-printer.ts";
import {
  type DryRun,
  jsonPathFormats,
  objectFormats,
  operationText,
  type PrintValues,
  templateFormats,
} from "./print-flags.ts";
import type { Printer } from "./printer.ts";

/** The parts of a command's context that printers need. */
export interface PrinterContext {
  /** A file name relative to the working directory. */
  path(name: string): string;
}

export interface PrinterOptions {
  /** The operation: `created`. */
  readonly operation: string;
  readonly dryRun?: DryRun;
  /** True for objects that kubectl builds, or typed ones: their fields keep their order. */
  readonly keepsOrder?: boolean;
  /** The format without -o; usually none, which prints names. */
  readonly defaultFormat?: string;
}

/** The printer for -o and --template; without them, one that prints names and the operation. */
export function toPrinter(
  values: PrintValues,
  context: PrinterContext,
  options: PrinterOptions,
): Printer {
  const { output, template } = values;
  const given =
    output === "" && template !== "" ? "go-template" : output || (options.defaultFormat ?? "");
  const printer = objectPrinter(given, values, options) ?? templatePrinter(given, values, context);
  if (printer) return printer;
  if (given === "" || given.toLowerCase() === "name") {
    return namePrinter(given === "" ? operationText(options.operation, options.dryRun) : "");
  }
  throw noPrinter(output, objectFormats);
}

/** The error for an unknown format. */
export function noPrinter(format: string, allowed: readonly string[]): CommandError {
  const formats = allowed.toSorted().join(",");
  return new CommandError(
    `unable to match a printer suitable for the output format ${goQuote(format)}, allowed formats are: ${formats}`,
  );
}

/** A printer of whole objects; undefined for another format. */
export function objectPrinter(
  format: string,
  values: { readonly "show-managed-fields": boolean },
  { keepsOrder = false }: Partial<PrinterOptions> = {},
): Printer | undefined {
  const options = { showManagedFields: values["show-managed-fields"], keepsOrder };
  switch (format.toLowerCase()) {
    case "json":
      return jsonPrinter(options);
    case "yaml":
      return yamlPrinter(options);
    case "kyaml":
      return kyamlPrinter(options);
    default:
      return undefined;
  }
}

type TemplateValues = Pick<PrintValues, "template" | "allow-missing-template-keys">;

/** A printer of a template; undefined for another format. */
export function templatePrinter(
  given: string,
  values: TemplateValues,
  context: PrinterContext,
): Printer | undefined {
  const equals = given.indexOf("=");
  const hasInline = values.template === "" && equals >= 0;
  const format = hasInline ? given.slice(0, equals) : given;
  const text = hasInline ? given.slice(equals + 1) : values.template;
  const isJsonPath = jsonPathFormats.includes(format);
  if (!isJsonPath && !templateFormats.includes(format)) return undefined;
  if (text === "") throw new CommandError("template format specified but no template given");
  const allowMissingKeys = values["allow-missing-template-keys"];
  const template = format.endsWith("file") ? readTemplate(text, context) : text;
  return isJsonPath
    ? jsonPathPrinter(template, { allowMissingKeys, asJson: format === "jsonpath-as-json" })
    : goTemplatePrinter(template, { allowMissingKeys });
}

function readTemplate(name: string, context: PrinterContext): string {
  try {
    return readFileSync(context.path(name), "utf8");
  } catch (error) {
    throw new CommandError(`error reading --template ${name}, ${openFailure(name, error)}`, {
      cause: error,
    });
  }
}
