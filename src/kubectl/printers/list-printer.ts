import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import { goJson } from "#/machinery/values/go-format.ts";
import type { Unstructured } from "../base/unstructured.ts";
import { arranged, type ObjectPrinterOptions } from "./json-printer.ts";
import type { Sink } from "./printer.ts";

/** The text before, between and after the items of a list. */
interface ListLook {
  readonly begin: string;
  readonly item: (object: unknown) => string;
  readonly between: string;
  readonly end: string;
  readonly empty: string;
}

const looks: Readonly<Record<"json" | "yaml", ListLook>> = {
  json: {
    begin: '{\n    "apiVersion": "v1",\n    "items": [\n',
    item: (object) => goJson(object, "    ").replace(/^/gm, " ".repeat(8)),
    between: ",\n",
    end: '\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n',
    empty: `${goJson({ apiVersion: "v1", items: [], kind: "List", metadata: { resourceVersion: "" } }, "    ")}\n`,
  },
  yaml: {
    begin: "apiVersion: v1\nitems:\n",
    // Line breaks depend on the length of lines, and thereby on the depth of an item.
    item: (object) => writeYaml({ items: [object] }).slice("items:\n".length),
    between: "",
    end: 'kind: List\nmetadata:\n  resourceVersion: ""\n',
    empty: 'apiVersion: v1\nitems: []\nkind: List\nmetadata:\n  resourceVersion: ""\n',
  },
};

/** True if a format allows lists to be printed item by item. */
export function isStreamable(format: string): format is "json" | "yaml" {
  return Object.hasOwn(looks, format);
}

/** Prints a v1 List item by item, so that it is never in memory as a whole. */
export class ListPrinter {
  readonly #look: ListLook;
  readonly #options: ObjectPrinterOptions;
  readonly #out: Sink;
  #count = 0;

  constructor(format: "json" | "yaml", options: ObjectPrinterOptions, out: Sink) {
    this.#look = looks[format];
    this.#options = options;
    this.#out = out;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  print(object: Unstructured): void {
    const { begin, between, item } = this.#look;
    this.#out.write(
      (this.#count++ === 0 ? begin : between) + item(arranged(object, this.#options)),
    );
  }

  finish(): void {
    this.#out.write(this.isEmpty ? this.#look.empty : this.#look.end);
  }
}
