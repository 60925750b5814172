import { SelectorError } from "./labels.ts";

/** One condition on one field. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** The value of a field of an object; "" if it has none. */
type FieldLookup = (field: string) => string;

/**
 * A field selector: the conjunction of its requirements. Immutable.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/fields/selector.go.
 */
export class FieldSelector {
  readonly requirements: readonly FieldRequirement[];

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  /** Whether the fields meet every requirement. */
  matches(lookup: FieldLookup): boolean {
    for (const { field, operator, value } of this.requirements) {
      if ((lookup(field) === value) !== (operator === "=")) return false;
    }
    return true;
  }

  /** Whether every object matches. */
  get isEverything(): boolean {
    return this.requirements.length === 0;
  }

  /** The value that a field must be equal to; undefined if there is none. */
  requiresExactMatch(field: string): string | undefined {
    return this.requirements.find((one) => one.field === field && one.operator === "=")?.value;
  }

  /** A selector with fields renamed or converted; undefined drops a requirement. */
  transform(
    convert: (requirement: FieldRequirement) => FieldRequirement | undefined,
  ): FieldSelector {
    return new FieldSelector(this.requirements.flatMap((one) => convert(one) ?? []));
  }

  /** The canonical text. */
  toString(): string {
    return this.requirements
      .map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`)
      .join(",");
  }
}

/** Matches every object. */
const everyField: FieldSelector = new FieldSelector([]);

/** Reads a field selector: `metadata.name=web,status.phase!=Running`. Throws SelectorError. */
export function parseFieldSelector(text: string): FieldSelector {
  if (text === "") return everyField;
  const terms = splitTerms(text).filter((term) => term !== "");
  const requirements = terms.sort().map((term) => parseTerm(term, text));
  return new FieldSelector(requirements.filter(({ field, value }) => field !== "" || value !== ""));
}

/** A value as it is written in a field selector. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

/** Splits at the commas that no backslash escapes. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === ",") {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function parseTerm(term: string, selector: string): FieldRequirement {
  const match = /!=|==?/.exec(term);
  if (match === null) {
    throw new SelectorError(`invalid selector: '${selector}'; can't understand '${term}'`);
  }
  return {
    field: term.slice(0, match.index),
    operator: match[0] === "!=" ? "!=" : "=",
    value: unescapeValue(term.slice(match.index + match[0].length)),
  };
}

function unescapeValue(text: string): string {
  return text.replace(/\\(.?)|[,=]/gsu, (sequence, escaped: string | undefined) => {
    if (escaped === undefined) {
      const code = sequence.codePointAt(0);
      throw new SelectorError(`invalid field selector: unescaped character in value: ${code}`);
    }
    if (escaped === "\\" || escaped === "," || escaped === "=") return escaped;
    throw new SelectorError(`invalid field selector: invalid escape sequence: ${sequence}`);
  });
}
