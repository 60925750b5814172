import type { Schema } from "#/api/base/schema.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { DecodeError } from "../shape/decode-error.ts";
import { goTypeName } from "../shape/go-type-name.ts";
import type { FieldShape } from "../shape/struct-shape.ts";
import { type JsonDocument, jsonTypeName } from "./json-document.ts";
import { type Duplicates, NumberLiteral } from "./json-parser.ts";

/** Limit of collected unknown and duplicate fields (count), as upstream. */
const maxProblems = 100;

/** A step from a value to a part of it: a field, a key of a map, an index of a list. */
type Step = FieldShape | string | number;

/** The state of one decoding. */
export class DecodeState {
  /** Collect unknown and duplicate fields. */
  readonly strict: boolean;
  readonly duplicates: Duplicates | undefined;
  /**
   * The path from the root to the value being decoded; scalar fields of a struct are added only for
   * an error.
   */
  readonly path: Step[] = [];
  /** Number of object keys in the value. */
  keys = 0;
  /** Above zero inside types with a Go decoder that ignores strictness. */
  lenient = 0;
  readonly #problems = new Set<string>();
  #typeError: string | undefined;

  constructor(strict: boolean, { duplicates }: JsonDocument) {
    this.strict = strict;
    this.duplicates = duplicates;
  }

  /** Unknown and duplicate fields in the order of the text, without repetition. */
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

  /** Records a type mismatch; decoding continues, and the first such error is thrown at the end. */
  mismatch(value: unknown, schema: Schema): undefined {
    this.fail(this.typeMessage(jsonTypeName(value), goTypeName(schema)));
  }

  /** A number outside the range of its type is printed as it was written. */
  outOfRange(value: number | bigint | NumberLiteral, schema: Schema): undefined {
    const text = value instanceof NumberLiteral ? value.text : String(value);
    this.fail(this.typeMessage(`number ${text}`, goTypeName(schema)));
  }

  fail(message: string): undefined {
    this.#typeError ??= message;
  }

  /** An error of a type's own decoder, which stops the decoding immediately. */
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
