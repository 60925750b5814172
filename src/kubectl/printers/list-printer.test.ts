import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonPrinter, yamlPrinter } from "./json-printer.ts";
import { ListPrinter } from "./list-printer.ts";

const items = [
  { kind: "Pod", apiVersion: "v1", metadata: { name: "a", managedFields: [{}] } },
  {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "b", annotations: { long: "word ".repeat(40) } },
    data: { text: "one\n\n  two\n", line: "x", empty: "", html: "<&>", odd: " lead", nl: "a\n" },
    list: [],
    nested: [[1, 2], [{ a: null }]],
  },
  { kind: "Thing", apiVersion: "example.com/v1", metadata: { name: "c" }, spec: "last\n\n" },
];
const list = { apiVersion: "v1", kind: "List", metadata: { resourceVersion: "" } };

function written(print: (out: { write(text: string | Uint8Array): void }) => void): string {
  let text = "";
  print({
    write(chunk) {
      text += String(chunk);
    },
  });
  return text;
}

for (const [format, printer] of [
  ["json", jsonPrinter],
  ["yaml", yamlPrinter],
] as const) {
  for (const some of [[], items.slice(0, 1), items]) {
    test(`ListPrinter prints ${some.length} items as the printer of ${format} prints a list`, () => {
      const whole = written((out) => printer().print({ ...list, items: some }, out));
      const streamed = written((out) => {
        const parts = new ListPrinter(format, {}, out);
        for (const item of some) parts.print(item);
        parts.finish();
      });
      assert.equal(streamed, whole);
    });
  }
}
