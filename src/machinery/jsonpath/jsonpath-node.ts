/**
 * A part of a path, as in upstream's parser. Upstream:
 * staging/src/k8s.io/client-go/util/jsonpath/node.go.
 */
export type JsonPathNode =
  /** A quoted string. */
  | { readonly type: "text"; readonly text: string }
  /** A number; integers and floats are not comparable with each other. */
  | { readonly type: "number"; readonly value: number; readonly isInteger: boolean }
  | { readonly type: "boolean"; readonly value: boolean }
  /** `range`, `end`, or an unknown word, which fails only in evaluation. */
  | { readonly type: "identifier"; readonly name: string }
  /** `.name`, or `['name']`. */
  | { readonly type: "field"; readonly name: string }
  /** `[start:end:step]`, or one index. */
  | {
      readonly type: "array";
      readonly start: number | undefined;
      /** Undefined for the end of the list. */
      readonly end: number | undefined;
      readonly step: number | undefined;
      /** A single index was given, so the end is start + 1. */
      readonly single: boolean;
    }
  /** `[?(@.a == "b")]`; `exists` if there is no operator. */
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

/** The content between braces: the input of each node is the result of the one before. */
export type JsonPath = readonly JsonPathNode[];

/** A template consists of texts and paths. */
export type TemplatePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "path"; readonly path: JsonPath };

/** An invalid template, or a path that does not exist. The message is upstream's. */
export class JsonPathError extends Error {
  override readonly name = "JsonPathError";
}
