/** Upstream: staging/src/k8s.io/cli-runtime/pkg/printers/template.go. */

import { goValue } from "#/machinery/patch/values/go-value.ts";
import { goJson } from "#/machinery/values/go-format.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../base/errors.ts";
import { type ExecuteOptions, executeTemplate } from "./go-template/execute-template.ts";
import { templateFunctions } from "./go-template/functions.ts";
import { type ParsedTemplate, parseTemplate } from "./go-template/parse-template.ts";
import { TemplateError } from "./go-template/template-node.ts";
import { sortedKeys } from "./json-printer.ts";
import type { Printer } from "./printer.ts";

const functionNames = new Set(Object.keys(templateFunctions));

/** Prints the output of a Go template for an object. */
export function goTemplatePrinter(template: string, options: ExecuteOptions): Printer {
  const parsed = parseOrFail(template);
  return {
    print(object, out) {
      try {
        executeTemplate(parsed, object, options, (text) => out.write(text));
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        out.write(debugText(template, object, error.message));
        throw new CommandError(`error executing template ${goQuote(template)}: ${error.message}`, {
          cause: error,
        });
      }
    },
  };
}

function parseOrFail(template: string): ParsedTemplate {
  try {
    return parseTemplate("output", template, functionNames);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new CommandError(`error parsing template ${template}, ${error.message}`, {
      cause: error,
    });
  }
}

function debugText(template: string, object: unknown, reason: string): string {
  return (
    `Error executing template: ${reason}. Printing more information for debugging the template:\n` +
    `\ttemplate was:\n\t\t${template}\n` +
    `\traw data was:\n\t\t${goJson(sortedKeys(object))}\n` +
    `\tobject given to template engine was:\n\t\t${goValue(object)}\n\n`
  );
}
