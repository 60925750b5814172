/** A part of a path, as upstream's parser sees it. Upstream: client-go/util/jsonpath/node.go. */
export type JsonPathNode =
  /** A text in quotes. */
  | { readonly type: "text"; readonly text: string }
  /** A number; whether it is written as an integer decides what it may be compared with. */
  | { readonly type: "number"; readonly value: number; readonly isInteger: boolean }
  | { readonly type: "boolean"; readonly value: boolean }
  /** `range`, `end`, or a word that means nothing, which only evaluation notices. */
  | { readonly type: "identifier"; readonly name: string }
  /** `.name`, or `['name']`. */
  | { readonly type: "field"; readonly name: string }
  /** `[start:end:step]`, or one index. */
  | {
      readonly type: "array";
      readonly start: number | undefined;
      /** Undefined for all that follow. */
      readonly end: number | undefined;
      readonly step: number | undefined;
      /** The end is the one after the start, because one index was given. */
      readonly single: boolean;
    }
  /** `[?(@.a == "b")]`; `exists` stands for no operator at all. */
  | {
      readonly type: "filter";
      readonly left: JsonPath;
      readonly operator: string;
      readonly right: JsonPath;
    }
  /** `*`: every field or item. */
  | { readonly type: "wildcard" }
  /** `..`: every value at any depth. */
  | { readonly type: "recursive" }
  /** `['a','b']` or `[0,2]`: several at once. */
  | { readonly type: "union"; readonly alternatives: readonly JsonPath[] };

/** What is between braces: each node takes what the one before has found. */
export type JsonPath = readonly JsonPathNode[];

/** A template is text and paths in turn. */
export type TemplatePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "path"; readonly path: JsonPath };

/** A template that can't be read, or a path that leads nowhere. The message is upstream's. */
export class JsonPathError extends Error {
  override readonly name = "JsonPathError";
}
