/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/get/customcolumn.go. */
import type { TemplatePart } from "#/machinery/jsonpath/jsonpath-node.ts";
import { parseTemplate } from "#/machinery/jsonpath/parse-jsonpath.ts";
import { goValue } from "#/machinery/patch/values/go-value.ts";
import { CommandError } from "../base/errors.ts";
import { isList, type Unstructured } from "../base/unstructured.ts";
import { escapeTerminal } from "./escape-terminal.ts";
import { jsonPathResults } from "./jsonpath-printer.ts";
import type { Printer, Sink } from "./printer.ts";
import { TabWriter } from "./tab-writer.ts";

interface Column {
  readonly header: string;
  readonly path: string;
}

const relaxed = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/;

/** A JSONPath as users write it in flags: braces and leading dot are optional. */
export function relaxedJsonPath(path: string): string {
  if (path === "") return path;
  const match = relaxed.exec(path);
  if (!match) {
    throw new CommandError(
      "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
    );
  }
  return `{.${match[1] || match[2]}}`;
}

/** Columns from `NAME:.metadata.name,…`. */
export function columnsFromSpec(spec: string): Column[] {
  if (spec === "") throw noColumns();
  return spec.split(",").map((part) => {
    const colon = part.indexOf(":");
    if (colon < 0) {
      throw new CommandError(
        `unexpected custom-columns spec: ${part}, expected <header>:<json-path-expr>`,
      );
    }
    return { header: part.slice(0, colon), path: relaxedJsonPath(part.slice(colon + 1)) };
  });
}

/** The error if there are no columns. */
export function noColumns(): CommandError {
  return new CommandError("custom-columns format specified but no custom columns given");
}

/** Columns from a file with a line of headers and a line of paths. */
export function columnsFromFile(text: string): Column[] {
  const [first, second] = text === "" ? [] : text.split("\n");
  if (first === undefined) throw missingLine("header");
  if (second === undefined || (second === "" && !text.includes("\n\n"))) throw missingLine("spec");
  const headers = words(first);
  const paths = words(second);
  if (headers.length !== paths.length) {
    throw new CommandError(
      `number of headers (${headers.length}) and field specifications (${paths.length}) don't match`,
    );
  }
  return headers.map((header, i) => ({ header, path: relaxedJsonPath(paths[i] ?? "") }));
}

function missingLine(which: string): CommandError {
  return new CommandError(
    `invalid template, missing ${which} line. Expected format is one line of space separated headers, one line of space separated column specs.`,
  );
}

function words(line: string): string[] {
  return line.split(/\s+/).filter((word) => word !== "");
}

/** Prints a table: a column for each path, a row for each object. */
export function customColumnsPrinter(columns: readonly Column[], noHeaders: boolean): Printer {
  let hasHeaders = noHeaders;
  let paths: (readonly TemplatePart[])[] | undefined;
  const printAll = (objects: readonly unknown[], out: Sink): void => {
    const table = new TabWriter((text) => out.write(text));
    if (!hasHeaders) table.write(`${columns.map(({ header }) => header).join("\t")}\n`);
    hasHeaders = true;
    paths ??= columns.map(({ path }) => parseTemplate(path));
    for (const object of objects)
      table.write(`${paths.map((path) => cell(path, object)).join("\t")}\n`);
    table.flush();
  };
  return {
    print: (object: Unstructured, out) => printAll(isList(object) ? object.items : [object], out),
    printEvent: ({ type, object }, out) => printAll([{ type, object }], out),
  };
}

function cell(path: readonly TemplatePart[], object: unknown): string {
  const results = jsonPathResults(path, object, { allowMissingKeys: true });
  const found = results.flat().map((value) => escapeTerminal(goValue(value)));
  return results[0] === undefined || results[0].length === 0
    ? ["<none>", ...found].join(",")
    : found.join(",");
}
