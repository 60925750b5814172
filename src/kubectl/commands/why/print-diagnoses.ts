import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import { plainText } from "#/std/text/plain-text.ts";
import { wrapWords } from "#/std/text/wrap-words.ts";
import { nameOf } from "#/why/base/any-object.ts";
import type { Diagnosis, Subject, Unread } from "#/why/base/finding.ts";
import { count, names } from "#/why/base/text.ts";
import { formatDiagnosis, type Paint } from "#/why/format.ts";
import type { Survey } from "#/why/why-all.ts";
import type { Context } from "../../command/context.ts";

/** Width (columns) of output that is not a terminal. */
const plainColumns = 100;

const apiVersion = "why.k8ts.dev/v1";

export function printDiagnoses(
  diagnoses: readonly Diagnosis[],
  format: string,
  context: Context,
): void {
  const [first] = diagnoses;
  if (format !== "") {
    const items = diagnoses.map((one) => ({ kind: "Diagnosis", apiVersion, ...one }));
    const [only] = items;
    write(
      items.length === 1 ? only : { kind: "DiagnosisList", apiVersion, items },
      format,
      context,
    );
    return;
  }
  const options = {
    columns: context.out.columns || plainColumns,
    nowMs: context.clock.now(),
    paint: paintOf(context),
  };
  const texts = diagnoses.map((one) => formatDiagnosis(plainOf(one), options));
  if (first) context.out.write(texts.join("\n"));
}

/** Texts of containers, and of other servers, are in what is found: they must not steer the terminal. */
function plainOf<T>(value: T): T;
function plainOf(value: unknown): unknown {
  if (typeof value === "string") return plainText(value);
  if (Array.isArray(value)) return value.map(plainOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plainOf(one)]));
}

export function printSurvey(
  { diagnoses, looked, more, unread }: Survey,
  { place, format }: { readonly place: string | undefined; readonly format: string },
  context: Context,
): void {
  if (format !== "") {
    write(
      { kind: "Survey", apiVersion, namespace: place ?? "", diagnoses, looked, more, unread },
      format,
      context,
    );
    return;
  }
  const { out } = context;
  const where = place === undefined ? "the cluster" : `namespace ${place}`;
  const paint = paintOf(context);
  if (diagnoses.length === 0) {
    out.write(
      `${paint(unread.length > 0 ? "heading" : "good", `${nothing(unread)} is stuck in ${where} (${count(looked, "object")} looked at).`)}\n`,
    );
  } else {
    const [first] = diagnoses;
    const number = diagnoses.reduce((sum, { others }) => sum + 1 + others.length, 0);
    out.write(
      `${paint("heading", `${count(number, "object")} ${are(number)} stuck in ${where}:`)}\n\n`,
    );
    for (const { sentence, others } of diagnoses) {
      const same = others.length > 0 ? ` (So ${are(others.length)} ${namesOf(others)}.)` : "";
      out.write(`${paint("bad", hanging(plainText(sentence + same), out.columns))}\n`);
    }
    if (more > 0) out.write(`\n${count(more, "more object")} may be stuck, too.\n`);
    const at =
      place === undefined && first?.subject.namespace ? `-n ${first.subject.namespace} ` : "";
    if (first) out.write(`\nMore about one: kubectl ${at}why ${nameOf(first.subject)}\n`);
  }
  out.write(unreadText(unread));
}

const nothing = (unread: readonly Unread[]): string =>
  unread.length > 0 ? "Nothing that you may see" : "Nothing";

/** What could not be read: one line for each reason, with the first message as the example. */
function unreadText(unread: readonly Unread[]): string {
  const reasons = new Set(unread.map(({ reason }) => reason));
  return [...reasons]
    .map((reason) => unread.filter((one) => one.reason === reason))
    .map(
      (all) =>
        `Not visible to you: ${plainText(`${all.map(({ what }) => what).join(", ")}: ${all[0]?.message}`)}\n`,
    )
    .join("");
}

const are = (number: number): string => (number === 1 ? "is" : "are");

const namesOf = (subjects: readonly Subject[]): string => names(subjects.map(nameOf));

/** A sentence broken at words, with an indent, where the terminal has a width. */
const hanging = (sentence: string, columns: number): string =>
  columns > 0 ? wrapWords(sentence, columns - 4).replaceAll("\n", "\n    ") : sentence;

function write(value: unknown, format: string, { out }: Context): void {
  // Undefined fields are left out, as in JSON.
  const plain: unknown = JSON.parse(JSON.stringify(value));
  out.write(format === "yaml" ? writeYaml(plain) : `${JSON.stringify(plain, undefined, 2)}\n`);
}

const codes = { good: "32", bad: "31", heading: "1", dim: "2" } as const;

/** Colours for a terminal, unless the user has switched them off (no-color.org). */
function paintOf({ out, env }: Context): Paint {
  const isWanted = out.isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  return isWanted ? (style, text) => `\x1b[${codes[style]}m${text}\x1b[0m` : (_style, text) => text;
}
