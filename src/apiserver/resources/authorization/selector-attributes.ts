import type { FieldSelectorAttributes, LabelSelectorAttributes } from "#/api/authorization/v1.ts";
import { escapeFieldValue, parseFieldSelector } from "#/machinery/meta/fields.ts";
import { parseSelector } from "#/machinery/meta/label-parser.ts";
import { table } from "#/std/base/table.ts";

/**
 * Selectors in reviews, as text; requirements that cannot be parsed are left out, so the check covers more objects.
 *
 * Upstream: pkg/registry/authorization/util/helpers.go.
 */
interface SelectorText {
  readonly text: string;
  /** Some requirements were left out. */
  readonly incomplete: boolean;
}

const operators: Readonly<Record<string, string>> = table({
  In: "in",
  NotIn: "notin",
  Exists: "",
  DoesNotExist: "!",
});

/** A label selector as the text of a request's query. */
export function labelSelectorText(selector: LabelSelectorAttributes | undefined): SelectorText {
  const { rawSelector = "", requirements = [] } = selector ?? {};
  if (rawSelector !== "") return parsed(rawSelector, parseSelector);
  const parts = requirements.map(({ key, operator, values = [] }) => {
    const word = operators[operator];
    if (word === undefined) return undefined;
    const text =
      word === "" || word === "!" ? `${word}${key}` : `${key} ${word} (${values.join(",")})`;
    return parsed(text, parseSelector).incomplete ? undefined : text;
  });
  return joined(parts);
}

/** A field selector as the text of a request's query. */
export function fieldSelectorText(selector: FieldSelectorAttributes | undefined): SelectorText {
  const { rawSelector = "", requirements = [] } = selector ?? {};
  if (rawSelector !== "") return parsed(rawSelector, parseFieldSelector);
  const parts = requirements.map(({ key, operator, values = [] }) => {
    const [value] = values;
    if (values.length !== 1 || value === undefined) return undefined;
    if (operator === "In") return `${key}=${escapeFieldValue(value)}`;
    return operator === "NotIn" ? `${key}!=${escapeFieldValue(value)}` : undefined;
  });
  return joined(parts);
}

function parsed(text: string, parse: (text: string) => unknown): SelectorText {
  try {
    parse(text);
    return { text, incomplete: false };
  } catch {
    return { text: "", incomplete: true };
  }
}

function joined(parts: readonly (string | undefined)[]): SelectorText {
  const good = parts.filter((part) => part !== undefined);
  return { text: good.join(","), incomplete: good.length < parts.length };
}

/** The evaluation error for a selector that could not be parsed. */
export function selectorProblem(
  name: "fieldSelector" | "labelSelector",
  { text, incomplete }: SelectorText,
): string[] {
  if (!incomplete) return [];
  const how = text === "" ? "ignored" : "partially ignored";
  return [`spec.resourceAttributes.${name} ${how} due to parse error`];
}
