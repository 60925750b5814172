import type { XmlReader } from "./xml-reader.ts";

/** The shape of (a part of) a response. Elements that a shape does not declare are skipped. */
export type Shape =
  | { readonly kind: "text" | "number" | "boolean" }
  | { readonly kind: "list"; readonly element: Shape }
  | { readonly kind: "struct"; readonly fields: Fields };

type Fields = Readonly<Record<string, Shape>>;

export const text = { kind: "text" } as const;
export const number = { kind: "number" } as const;
export const boolean = { kind: "boolean" } as const;
export const list = <const E extends Shape>(element: E) => ({ kind: "list", element }) as const;
export const struct = <const F extends Fields>(fields: F) => ({ kind: "struct", fields }) as const;

/** The value of a shape whose element is there. */
export type Value<S extends Shape> = S extends { kind: "text" }
  ? string
  : S extends { kind: "number" }
    ? number
    : S extends { kind: "boolean" }
      ? boolean
      : S extends { kind: "list"; element: infer E extends Shape }
        ? readonly Value<E>[]
        : S extends { kind: "struct"; fields: infer F extends Fields }
          ? { readonly [K in keyof F]: Field<F[K]> }
          : never;

/** A field of a struct: an absent list is empty, anything else absent is undefined. */
type Field<S extends Shape> = S extends { kind: "list" } ? Value<S> : Value<S> | undefined;

/** Reads the open element; `item` is the name of the elements of lists. */
export function readShape<S extends Shape>(reader: XmlReader, shape: S, item: string): Value<S> {
  return readAny(reader, shape, item) as Value<S>;
}

function readAny(reader: XmlReader, shape: Shape, item: string): unknown {
  switch (shape.kind) {
    case "text":
      return reader.readText();
    case "number":
      return parseNumber(reader.readText());
    case "boolean":
      return parseBoolean(reader.readText());
    case "list": {
      const elements: unknown[] = [];
      reader.forEachChild((name) => {
        if (name === item) elements.push(readAny(reader, shape.element, item));
      });
      return elements;
    }
    case "struct":
      return readStruct(reader, shape.fields, item);
  }
}

function readStruct(reader: XmlReader, fields: Fields, item: string): unknown {
  const found = new Map<string, unknown>();
  reader.forEachChild((name) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field) found.set(name, readAny(reader, field, item));
  });
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      found.get(name) ?? (field.kind === "list" ? [] : undefined),
    ]),
  );
}

function parseNumber(source: string): number {
  const value = Number(source);
  if (!/^-?\d/.test(source) || !Number.isFinite(value)) {
    throw new SyntaxError(`not a number: ${JSON.stringify(source.slice(0, 40))}`);
  }
  return value;
}

function parseBoolean(source: string): boolean {
  if (source === "true") return true;
  if (source === "false") return false;
  throw new SyntaxError(`not a boolean: ${JSON.stringify(source.slice(0, 40))}`);
}
