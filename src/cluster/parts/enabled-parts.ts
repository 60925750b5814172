import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { editDistance } from "#/std/text/edit-distance.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { parts } from "./index.ts";
import type { Duties, Duty, Part, PartContext, PartProgram, ProgramContexts } from "./part.ts";
import { type PartStart, partStart } from "./part-start.ts";

const manifestFolder = fileURLToPath(new URL("manifests", import.meta.url));

/** The parts that a cluster has. */
export const enabledParts = (settings: ClusterSettings): Part[] =>
  parts.filter(
    ({ name, isNeeded }) => !settings.disabled.includes(name) && isNeeded?.(settings) !== false,
  );

/** The parts that can be disabled, for messages and help. */
export const optionalParts: readonly string[] = parts
  .filter(({ canBeDisabled }) => canBeDisabled)
  .map(({ name }) => name);

/** Limit of differing letters (count) for a suggested part. */
const maxDistance = 3;

/** Why parts can't be disabled, each with a remedy. */
export function disableProblems(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    if (optionalParts.includes(name)) return [];
    const known = `it is one of: ${optionalParts.join(", ")}`;
    if (parts.some((part) => part.name === name)) {
      return [`--disable=${name} can't be used, as a cluster needs ${name}; ${known}`];
    }
    const near = optionalParts.find(
      (part) => editDistance(name, part) <= maxDistance || (name !== "" && part.includes(name)),
    );
    return [`--disable=${name} is unknown; ${near ? `did you mean ${near}?` : known}`];
  });
}

/** The duties of parts in a program, each with its part. */
export function dutiesOf<Name extends PartProgram>(
  program: Name,
  chosen: readonly Part[],
): { readonly name: string; readonly duty: Duty<ProgramContexts[Name]> }[] {
  return chosen.flatMap((part) => {
    const duties: Duties = part;
    const duty = duties[program];
    return duty ? [{ name: part.name, duty }] : [];
  });
}

/** Flags and files of the parts in a program. */
export const partStarts = (program: PartProgram, context: PartContext): PartStart[] =>
  dutiesOf(program, enabledParts(context.settings)).map(({ name, duty }) =>
    partStart(name, duty, context),
  );

/** The programs that run a part, by its name. */
export const programsOfPart = (name: string): PartProgram[] => {
  const part = parts.find((candidate) => candidate.name === name);
  return (["server", "agent"] as const).filter((program) => part?.[program]);
};

/** Paths of the manifests of parts. */
export const manifestFiles = (chosen: readonly Part[]): string[] =>
  chosen.flatMap(({ manifest }) => (manifest ? [join(manifestFolder, manifest)] : []));

/** The disabled parts of a cluster. */
export const disabledParts = ({ disabled }: Pick<ClusterSettings, "disabled">): Part[] =>
  parts.filter(({ name }) => disabled.includes(name));
