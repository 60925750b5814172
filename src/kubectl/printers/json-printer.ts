/** Upstream: staging/src/k8s.io/cli-runtime/pkg/printers/{json,yaml,name,managedfields}.go. */
import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import { goJson } from "#/machinery/values/go-format.ts";
import { CommandError } from "../base/errors.ts";
import { isList, kindText, type Unstructured } from "../base/unstructured.ts";
import type { PrintedEvent, Printer, Sink } from "./printer.ts";

export interface ObjectPrinterOptions {
  readonly showManagedFields?: boolean;
  /** True to keep the order of fields, which is Go's for objects built by kubectl; otherwise they are sorted. */
  readonly keepsOrder?: boolean;
}

const untyped =
  "missing apiVersion or kind; try GetObjectKind().SetGroupVersionKind() if you know the type";

/** Prints objects as indented JSON. */
export function jsonPrinter(options: ObjectPrinterOptions = {}): Printer {
  return {
    print(object, out) {
      requireType(object);
      out.write(`${goJson(arranged(object, options), "    ")}\n`);
    },
    printEvent: ({ type, object }, out) =>
      out.write(`${goJson({ type, object: arranged(object, options) })}\n`),
  };
}

/** Prints objects as YAML documents. */
export function yamlPrinter(options: ObjectPrinterOptions = {}): Printer {
  let count = 0;
  const write = (value: unknown, out: Sink): void => {
    if (count++ > 0) out.write("---\n");
    out.write(writeYaml(value));
  };
  return {
    print(object, out) {
      requireType(object);
      write(withoutManagedFields(object, options), out);
    },
    printEvent: ({ type, object }, out) =>
      write({ object: withoutManagedFields(object, options), type }, out),
  };
}

/** Prints `pod/web`, and the operation unless only names are requested. */
export function namePrinter(operation: string): Printer {
  const print = (object: Unstructured, out: Sink): void => {
    if (isList(object)) {
      for (const item of object.items) print(item, out);
      return;
    }
    requireType(object);
    const name = object.metadata?.name || "<unknown>";
    out.write(`${kindText(object)}/${name}${operation === "" ? "" : ` ${operation}`}\n`);
  };
  return { print, printEvent: (event: PrintedEvent, out) => print(event.object, out) };
}

function requireType({ apiVersion = "", kind = "" }: Unstructured): void {
  if (apiVersion === "" && kind === "") throw new CommandError(untyped);
}

/** An object as it is printed. */
export function arranged(object: Unstructured, options: ObjectPrinterOptions): unknown {
  const shown = withoutManagedFields(object, options);
  return options.keepsOrder ? shown : sortedKeys(shown);
}

function withoutManagedFields(
  object: Unstructured,
  { showManagedFields }: ObjectPrinterOptions,
): Unstructured {
  if (showManagedFields) return object;
  if (isList(object)) {
    return { ...object, items: object.items.map((item) => withoutManagedFields(item, {})) };
  }
  if (object.metadata?.managedFields === undefined) return object;
  const { managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** A value with the keys of all its objects sorted. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, sortedKeys(item)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
