/** A part of a JSONPath template, as upstream's parser sees it. Upstream: client-go/util/jsonpath/node.go. */
export type JsonPathNode =
  /** Text between expressions, printed as it is. */
  | { readonly type: "text"; readonly text: string }
  /** `.name`, or `["name"]`. */
  | { readonly type: "field"; readonly name: string }
  /** `[start:end:step]`, or one index. */
  | {
      readonly type: "array";
      readonly start?: number;
      readonly end?: number;
      readonly step?: number;
      readonly single: boolean;
    }
  /** `[?(@.a == "b")]`; without an operator, items that have the left side. */
  | {
      readonly type: "filter";
      readonly left: Expression;
      readonly operator: FilterOperator;
      readonly right?: Expression;
    }
  /** `*`: every field or item. */
  | { readonly type: "wildcard" }
  /** `..`: every value at any depth. */
  | { readonly type: "recursive" }
  /** `['a','b']` or `[0,2]`: several at once. */
  | { readonly type: "union"; readonly alternatives: readonly Expression[] }
  /** `{range …}` … `{end}`. */
  | { readonly type: "range"; readonly over: Expression; readonly body: readonly TemplatePart[] };

/** A path: what is found by taking one step after another. */
export type Expression =
  | { readonly steps: readonly JsonPathNode[] }
  | { readonly literal: unknown };

/** A whole template is text and expressions in turn. */
export type TemplatePart =
  | JsonPathNode
  | { readonly type: "expression"; readonly expression: Expression };

export type FilterOperator = "" | "==" | "!=" | "<" | "<=" | ">" | ">=";

/** A template that can't be read, or a path that leads nowhere. The message is upstream's. */
export class JsonPathError extends Error {
  override readonly name = "JsonPathError";
}
