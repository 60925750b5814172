/**
 * Upstream: staging/src/k8s.io/client-go/util/jsonpath/jsonpath.go,
 * staging/src/k8s.io/cli-runtime/pkg/printers/jsonpath.go.
 */

import { executeTemplate } from "#/machinery/jsonpath/evaluate-jsonpath.ts";
import { JsonPathError, type TemplatePart } from "#/machinery/jsonpath/jsonpath-node.ts";
import { parseTemplate } from "#/machinery/jsonpath/parse-jsonpath.ts";
import { goSyntax } from "#/machinery/patch/values/go-value.ts";
import { goJson, goNumber } from "#/machinery/values/go-format.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../base/errors.ts";
import { sortedKeys } from "./json-printer.ts";
import type { Printer } from "./printer.ts";

interface JsonPathOptions {
  readonly allowMissingKeys: boolean;
  /** Results are printed as a JSON array. */
  readonly asJson?: boolean;
}

/** Prints the results of a JSONPath template for an object. */
export function jsonPathPrinter(template: string, options: JsonPathOptions): Printer {
  const parts = parseOrFail(template);
  return {
    print(object, out) {
      try {
        out.write(executeJsonPath(parts, object, options));
      } catch (error) {
        if (!(error instanceof JsonPathError)) throw error;
        throw new CommandError(failureText(template, object, error.message), { cause: error });
      }
    },
  };
}

function parseOrFail(template: string): readonly TemplatePart[] {
  try {
    return parseTemplate(template);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw new CommandError(`error parsing jsonpath ${template}, ${error.message}`, {
      cause: error,
    });
  }
}

function failureText(template: string, object: unknown, reason: string): string {
  const more =
    `Error executing template: ${reason}. Printing more information for debugging the template:\n` +
    `\ttemplate was:\n\t\t${template}\n` +
    `\tobject given to jsonpath engine was:\n\t\t${goSyntax(object)}\n\n`;
  return `error executing jsonpath ${goQuote(template)}: ${more}\n`;
}

/** The output of a template for a value. Throws JsonPathError. */
function executeJsonPath(
  parts: readonly TemplatePart[],
  value: unknown,
  options: JsonPathOptions,
): string {
  return jsonPathResults(parts, value, options)
    .map((found) => resultsText(found, options))
    .join("");
}

/** The results of each part of a template. */
export function jsonPathResults(
  parts: readonly TemplatePart[],
  value: unknown,
  { allowMissingKeys }: JsonPathOptions,
): readonly (readonly unknown[])[] {
  return executeTemplate(parts, value, { allowMissing: allowMissingKeys });
}

function resultsText(found: readonly unknown[], { asJson }: JsonPathOptions): string {
  if (asJson) return `${goJson(found.map(sortedKeys), "    ")}\n`;
  return found.map(resultText).join(" ");
}

function resultText(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (value instanceof Number) return goNumber(value.valueOf());
  if (typeof value === "object") return goJson(sortedKeys(value));
  return typeof value === "number" ? goNumber(value) : String(value);
}
