import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Unstructured } from "../base/unstructured.ts";
import { columnsFromSpec, customColumnsPrinter } from "./custom-columns-printer.ts";
import { goTemplatePrinter } from "./go-template-printer.ts";
import { jsonPathPrinter } from "./jsonpath-printer.ts";
import type { Printer } from "./printer.ts";

interface Case {
  readonly text: string;
  readonly object: string;
  readonly strict?: boolean;
  readonly output?: string;
  readonly error?: string;
}

interface Recorded {
  readonly objects: Readonly<Record<string, Unstructured>>;
  readonly cases: readonly Case[];
}

/** Written by tools/record-kubectl. */
function recorded(name: string): Recorded {
  const file = join(import.meta.dirname, "recorded", `${name}.json`);
  return JSON.parse(readFileSync(file, "utf8")) as Recorded;
}

type MakePrinter = (text: string, allowMissingKeys: boolean) => Printer;

/** The output of a printer for a case, in the recorded form. */
function answer(
  { text, object, strict = false }: Case,
  objects: Recorded["objects"],
  make: MakePrinter,
  reasonOf: (message: string) => string,
): Case {
  const printed: string[] = [];
  const given = { text, object, ...(strict ? { strict } : {}) };
  try {
    make(text, !strict).print(objects[object] ?? {}, {
      write: (chunk) => void printed.push(String(chunk)),
    });
  } catch (error) {
    const [before = ""] = printed.join("").split("Error executing template: ");
    const reason = reasonOf((error as Error).message);
    return { ...given, ...(before === "" ? {} : { output: before }), error: reason };
  }
  const output = printed.join("");
  return { ...given, ...(output === "" ? {} : { output }) };
}

function replay(name: string, make: MakePrinter, reasonOf: (message: string) => string): void {
  const { objects, cases } = recorded(name);
  for (const object of Object.keys(objects)) {
    test(`${name} is evaluated as upstream does it: ${object}`, () => {
      const wanted = cases.filter((each) => each.object === object);
      assert.ok(wanted.length > 0);
      const given = wanted.map((each) => answer(each, objects, make, reasonOf));
      const different = wanted.flatMap((want, i) =>
        JSON.stringify(want) === JSON.stringify(given[i]) ? [] : [{ want, given: given[i] }],
      );
      assert.deepEqual(different, []);
    });
  }
}

replay(
  "jsonpath",
  (text, allowMissingKeys) => {
    const asJson = text.startsWith("as-json:");
    const template = asJson ? text.slice("as-json:".length) : text;
    return jsonPathPrinter(template, { allowMissingKeys, asJson });
  },
  (message) => {
    const [, parse] = /^error parsing jsonpath [\s\S]*, ([\s\S]*)$/.exec(message) ?? [];
    const [, reason] =
      /Error executing template: ([\s\S]*?)\. Printing more information/.exec(message) ?? [];
    return parse === undefined ? (reason ?? message) : `parse: ${parse}`;
  },
);

replay(
  "template",
  (text, allowMissingKeys) => goTemplatePrinter(text, { allowMissingKeys }),
  (message) => {
    const at = message.lastIndexOf(", template: ");
    return message.startsWith("error parsing template")
      ? `parse: ${message.slice(at + 2)}`
      : message;
  },
);

replay(
  "columns",
  (text) => {
    try {
      return customColumnsPrinter(columnsFromSpec(text), false);
    } catch (error) {
      throw new Error(`parse: ${(error as Error).message}`);
    }
  },
  (message) => message,
);
