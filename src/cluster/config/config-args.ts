import { type FlagSet, typeOf } from "#/std/flags/flags.ts";
import { formatCsvRecord } from "#/std/text/csv-record.ts";
import type { Field, Fields } from "./fields.ts";
import type { ConfigDocument, FieldPath } from "./read-documents.ts";

/** A flag that a document sets, as a word of the command line. */
export interface ConfigArg {
  /** Empty for the argument of the command. */
  readonly flag: string;
  readonly word: string;
  /** FILE:LINE. */
  readonly at: string;
}

/** The flags that a document sets, and its problems, each with its line. */
export interface ConfigArgs {
  readonly args: readonly ConfigArg[];
  readonly problems: readonly string[];
}

/** Translates a document to flags of a command, by a table of its fields. Pure. */
export function configArgs(document: ConfigDocument, fields: Fields, flags: FlagSet): ConfigArgs {
  const args: ConfigArg[] = [];
  const problems: string[] = [];
  const visit = (value: unknown, path: FieldPath): void => {
    const at = document.at(path);
    const field = findField(fields, path);
    if (field) {
      const found = wordsOf(flags, field, value, path);
      if (typeof found === "string") problems.push(`${at}: ${path.join(".")}: ${found}`);
      else for (const one of found) args.push({ flag: one.flag, word: wordOf(one), at });
    } else if (isObject(value) && isBranch(fields, path)) {
      for (const [name, inner] of Object.entries(value)) visit(inner, [...path, name]);
    } else problems.push(`${at}: ${unknownField(fields, path)}`);
  };
  for (const [name, value] of Object.entries(document.value)) {
    if (name !== "apiVersion" && name !== "kind") visit(value, [name]);
  }
  return { args, problems };
}

/** The declared field at a path. */
function findField(fields: Fields, path: FieldPath): Field | undefined {
  const field = Object.hasOwn(fields, path.join(".")) ? fields[path.join(".")] : undefined;
  if (field) return field;
  const any = fields[[...path.slice(0, -1), "*"].join(".")];
  return any && "argsOf" in any ? { argsOf: String(path.at(-1)) } : any;
}

const isBranch = (fields: Fields, path: FieldPath): boolean =>
  Object.keys(fields).some((name) => name.startsWith(`${path.join(".")}.`));

function unknownField(fields: Fields, path: FieldPath): string {
  const around = path.slice(0, -1).join(".");
  const prefix = around === "" ? "" : `${around}.`;
  const known = Object.keys(fields)
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length).split(".", 1)[0] ?? "");
  const beside = isBranch(fields, path) ? "must be an object" : "is unknown";
  return `${path.join(".")} ${beside}; ${around || "the document"} has: ${[...new Set(known)].join(", ")}`;
}

interface FlagText {
  readonly flag: string;
  readonly text: string;
}

const wordOf = ({ flag, text }: FlagText): string => (flag === "" ? text : `--${flag}=${text}`);

/** The flags of a field's value, or the reason why it has none. */
function wordsOf(
  flags: FlagSet,
  field: Field,
  value: unknown,
  path: FieldPath,
): FlagText[] | string {
  if ("refused" in field) return field.refused;
  if ("argsOf" in field) return partArgs(flags, field.argsOf, value);
  if ("isArgument" in field) {
    return typeof value === "string" ? [{ flag: "", text: value }] : "must be a string";
  }
  const { flag } = field;
  const declared = flags[flag];
  if (!declared) throw new Error(`there is no flag --${flag}`);
  if (declared.type === "stringSlice") {
    const texts = listTexts(value, path);
    return typeof texts === "string" ? texts : texts.map((text) => ({ flag, text }));
  }
  const text = singleText(declared, value, path);
  return typeof text === "object" ? [{ flag, text: text.text }] : text;
}

/** The values of a list, or what is wrong with it. */
function listTexts(value: unknown, path: FieldPath): string[] | string {
  const items = path.at(-1) === "labels" && isObject(value) ? pairsOf(value) : value;
  if (!Array.isArray(items)) return "must be a list";
  const texts = items.map(path.at(-1) === "taints" ? taintText : scalarText);
  if (texts.includes(undefined)) return "must be a list of strings";
  // An empty list is a choice as well: nothing is disabled.
  const given = texts.length === 0 ? [""] : texts.map(String);
  return given.map((text) => (text === "" ? text : formatCsvRecord([text])));
}

/** A single value, or what is wrong with it. */
function singleText(
  declared: FlagSet[string],
  given: unknown,
  path: FieldPath,
): { readonly text: string } | string {
  const { type } = declared;
  const isList = path.at(-1) === "caCertHashes";
  if (isList && (!Array.isArray(given) || given.length !== 1)) return "must be a list of one hash";
  const value = isList && Array.isArray(given) ? given[0] : given;
  const text = scalarText(value);
  if (text === undefined) return "must be a single value";
  if (type === "bool" && typeof value !== "boolean") return "must be true or false";
  const isNumber = type !== "duration" && typeof typeOf(declared).zero === "number";
  if (isNumber && !Number.isInteger(value)) return "must be a whole number";
  if (type === "string" && typeof value !== "string") return "must be a string: put it in quotes";
  return { text };
}

/** Flags of a part: an object of values, or kubeadm's list of {name, value}. */
function partArgs(flags: FlagSet, part: string, value: unknown): FlagText[] | string {
  const flag = `${part}-arg`;
  if (!Object.hasOwn(flags, flag)) {
    const known = Object.keys(flags).filter((name) => name.endsWith("-arg"));
    return `there is no part "${part}": ${known.map((name) => name.slice(0, -4)).join(", ")}`;
  }
  const pairs = Array.isArray(value)
    ? value.map((entry) => (isObject(entry) ? [entry["name"], entry["value"]] : []))
    : isObject(value)
      ? Object.entries(value).flatMap(([name, one]) =>
          (Array.isArray(one) ? one : [one]).map((text) => [name, text]),
        )
      : [[]];
  const texts = pairs.map(([name, text]) =>
    typeof name === "string" && scalarText(text) !== undefined
      ? `${name}=${scalarText(text)}`
      : undefined,
  );
  if (texts.includes(undefined)) return "must be flags with their values, without leading dashes";
  return texts.map((text) => ({ flag, text: String(text) }));
}

/** Labels may be an object. */
const pairsOf = (value: Readonly<Record<string, unknown>>): unknown[] =>
  Object.entries(value).map(([name, one]) => scalarText(one) && `${name}=${scalarText(one)}`);

/** kubeadm's taints are objects; ours may be text. */
function taintText(value: unknown): string | undefined {
  if (!isObject(value)) return scalarText(value);
  const { key, value: text, effect } = value;
  if (typeof key !== "string" || typeof effect !== "string") return undefined;
  return `${key}=${typeof text === "string" ? text : ""}:${effect}`;
}

const scalarText = (value: unknown): string | undefined =>
  ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
