import type { Column, Row } from "./table.ts";
import { type Tone, toneOf } from "./tone.ts";

/** An object that is not as it should be. */
export interface Trouble {
  readonly id: string;
  /** Of its kind: "pods", "deployments.apps". */
  readonly key: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly status: string;
  readonly tone: Tone;
  readonly createdMs: number;
  /** Why, in a sentence, if that is known. */
  readonly sentence?: string;
}

/** How long a Pod may take to start before it counts (ms): most start sooner. */
const patienceMs = 30_000;

/** The Pods of a Table that are in trouble, the newest first. */
export function troublesOf(
  columns: readonly Column[],
  rows: readonly Row[],
  nowMs: number,
): Trouble[] {
  const column = (name: string): number => columns.findIndex((one) => one.name === name);
  const [status, ready] = [column("Status"), column("Ready")];
  return rows
    .flatMap((row): Trouble[] => {
      const text = row.cells[status] ?? "";
      const { id, namespace, name, createdMs } = row;
      const trouble = (shown: string, tone: Tone): Trouble[] => [
        { id, key: "pods", namespace, name, status: shown, tone, createdMs },
      ];
      const tone = toneOf(text);
      if (tone === "bad") return trouble(text, "bad");
      if (nowMs - createdMs < patienceMs) return [];
      if (tone === "busy") return trouble(text, "busy");
      const [now, wanted] = (row.cells[ready] ?? "").split("/");
      return text === "Running" && now !== wanted ? trouble(`Ready ${now}/${wanted}`, "busy") : [];
    })
    .sort((a, b) => b.createdMs - a.createdMs);
}

/** How many Pods each node has, by name. */
export function podsByNode(columns: readonly Column[], rows: readonly Row[]): Map<string, number> {
  const column = columns.findIndex(({ name }) => name === "Node");
  const counts = new Map<string, number>();
  for (const { cells } of rows) {
    const node = cells[column] ?? "";
    if (node && node !== "<none>") counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return counts;
}

/** What a diagnosis says about an object (`#/why`). */
interface Diagnosed {
  readonly subject: {
    readonly group: string;
    readonly resource: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    readonly uid?: string;
  };
  readonly sentence: string;
  readonly findings: readonly {
    readonly since?: string;
    readonly about?: { readonly kind: string; readonly namespace?: string; readonly name: string };
  }[];
}

/** Troubles with the sentences of diagnoses, and the objects that only these name; the newest first. */
export function withDiagnoses(
  troubles: readonly Trouble[],
  diagnoses: readonly Diagnosed[],
): Trouble[] {
  const known = new Map(
    diagnoses.map((diagnosis) => [placeOf(diagnosis.subject, keyOf(diagnosis.subject)), diagnosis]),
  );
  const told = toldPods(diagnoses);
  const explained = troubles.flatMap((trouble) => {
    const place = placeOf(trouble, trouble.key);
    const diagnosis = known.get(place);
    known.delete(place);
    if (diagnosis) return [{ ...trouble, sentence: diagnosis.sentence }];
    return told.has(siblingsOf(trouble)) ? [] : [trouble];
  });
  const others = [...known.values()].map(({ subject, sentence, findings }): Trouble => {
    const { namespace, name, kind } = subject;
    const since = Date.parse(findings[0]?.since ?? "") || 0;
    const key = keyOf(subject);
    const id = `${key} ${namespace}/${name}`;
    return { id, key, namespace, name, status: kind, tone: "bad", createdMs: since, sentence };
  });
  return [...explained, ...others].sort((a, b) => b.createdMs - a.createdMs);
}

/** The Pods that the diagnoses of their owners name, with those of the same template: they are in no line of their own. */
const toldPods = (diagnoses: readonly Diagnosed[]): ReadonlySet<string> =>
  new Set(
    diagnoses.flatMap(({ findings, subject }) =>
      findings.flatMap(({ about }) =>
        about?.kind === "Pod" && subject.kind !== about.kind ? [siblingsOf(about)] : [],
      ),
    ),
  );

/** Equal for Pods of one template: their names differ in the last part. */
const siblingsOf = ({
  namespace = "",
  name,
}: {
  readonly namespace?: string | undefined;
  readonly name: string;
}): string => `${namespace}/${name.replace(/-[^-]*$/, "")}`;

const keyOf = ({ group, resource }: Diagnosed["subject"]): string =>
  group === "" ? resource : `${resource}.${group}`;

const placeOf = (
  { namespace = "", name }: { readonly namespace?: string | undefined; readonly name: string },
  key: string,
): string => `${key} ${namespace}/${name}`;
