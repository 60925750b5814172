import type { Schema } from "#/api/base/schema.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { DecodeError } from "../shape/decode-error.ts";
import { goTypeName } from "../shape/go-type-name.ts";
import type { FieldShape } from "../shape/struct-shape.ts";
import { type JsonDocument, jsonTypeName } from "./json-document.ts";
import { type Duplicates, NumberLiteral } from "./json-parser.ts";

/** Upstream stops collecting unknown and duplicate fields there. */
const maxProblems = 100;

/** A step from a value to a part of it: a field, a key of a map, an index of a list. */
type Step = FieldShape | string | number;

/** What one decoding has seen so far. */
export class DecodeState {
  /** Unknown and duplicate fields are wanted. */
  readonly strict: boolean;
  readonly duplicates: Duplicates | undefined;
  /** From the root to the value being decoded; scalars of a struct are not on it until something is wrong. */
  readonly path: Step[] = [];
  /** How many object keys the value has. */
  keys = 0;
  /** Above zero inside types whose Go decoder ignores strictness. */
  lenient = 0;
  readonly #problems = new Set<string>();
  #typeError: string | undefined;

  constructor(strict: boolean, { duplicates }: JsonDocument) {
    this.strict = strict;
    this.duplicates = duplicates;
  }

  /** Unknown and duplicate fields in the order of the text, each once. */
  get problems(): string[] {
    return [...this.#problems];
  }

  unknown(key: string): void {
    this.#report("unknown", key);
  }

  duplicate(key: string): void {
    this.#report("duplicate", key);
  }

  #report(problem: string, key: string): void {
    if (!this.strict || this.lenient > 0 || this.#problems.size >= maxProblems) return;
    this.#problems.add(`${problem} field ${goQuote(joinPath([...this.path, key]))}`);
  }

  /** Records that a value is not of its type; decoding goes on, and the first such error is thrown at the end. */
  mismatch(value: unknown, schema: Schema): undefined {
    this.fail(this.typeMessage(jsonTypeName(value), goTypeName(schema)));
  }

  /** A number that its type cannot hold is shown as it was written. */
  outOfRange(value: number | bigint | NumberLiteral, schema: Schema): undefined {
    const text = value instanceof NumberLiteral ? value.text : String(value);
    this.fail(this.typeMessage(`number ${text}`, goTypeName(schema)));
  }

  fail(message: string): undefined {
    this.#typeError ??= message;
  }

  /** An error of a type's own decoder, which ends the decoding at once. */
  abort(message: string): never {
    throw new DecodeError(message);
  }

  typeMessage(found: string, goType: string): string {
    const fields = this.path.filter((step) => typeof step === "object");
    const struct = fields.at(-1)?.structName;
    if (struct === undefined)
      return `json: cannot unmarshal ${found} into Go value of type ${goType}`;
    const names = fields
      .flatMap(({ name, field }) => [...(field.embeddedIn ?? []), name])
      .join(".");
    return `json: cannot unmarshal ${found} into Go struct field ${struct}.${names} of type ${goType}`;
  }

  /** Throws the first type error, if there was one. */
  finish(): void {
    if (this.#typeError !== undefined) throw new DecodeError(this.#typeError);
  }
}

function joinPath(path: readonly Step[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += `${text === "" ? "" : "."}${typeof step === "string" ? step : step.name}`;
  }
  return text;
}
