import { join } from "node:path";
import {
  argsOf,
  type Duty,
  type Flags,
  type PartContext,
  type PartDocument,
  type PartFile,
} from "./part.ts";

/** Flags and files of a part in a program. */
export interface PartStart {
  readonly name: string;
  readonly args: readonly string[];
  readonly files: readonly PartFile[];
}

type AnyDuty = Pick<Duty<never>, "flags" | "files" | "documents">;

/** The start of a part: what the cluster sets, with the documents and flags of the user, which win. Pure. */
export function partStart(name: string, duty: AnyDuty, context: PartContext): PartStart {
  const { settings } = context;
  const used = usedDocuments(duty, context);
  const flags = used.reduce((all, { use }) => withDocument(all, use, context), duty.flags(context));
  // A document may stand in the place of a file that the cluster writes otherwise.
  const files = new Map(
    [...(duty.files?.(context) ?? []), ...used.map(({ file }) => file)].map((file) => [
      file.path,
      file,
    ]),
  );
  return {
    name,
    args: withUserArgs(flags, settings.partArgs?.[name] ?? []),
    files: [...files.values()],
  };
}

/** The name of a flag in NAME=VALUE. */
export const argName = (arg: string): string => arg.split("=", 1)[0] ?? "";

function usedDocuments({ documents = [] }: AnyDuty, context: PartContext) {
  return documents.flatMap((use) => {
    const document = context.settings.documents?.[use.kind];
    if (!document) return [];
    const whole = use.complete?.(document, context) ?? document;
    const text = `${JSON.stringify(whole, undefined, 2)}\n`;
    return [{ use, file: { path: documentPath(use, context), text } }];
  });
}

const documentPath = (use: PartDocument, { paths }: PartContext): string =>
  join(paths.config, use.file);

function withDocument(flags: Flags, use: PartDocument, context: PartContext): Flags {
  const { replaces = [], flag } = use;
  const left = Object.entries(flags).filter(([name]) => !replaces.includes(name));
  return {
    ...Object.fromEntries(left),
    ...use.needs?.(context),
    ...(flag === undefined ? {} : { [flag]: documentPath(use, context) }),
  };
}

/** A flag of the user replaces the cluster's, also where values of a flag would be joined. */
function withUserArgs(flags: Flags, given: readonly string[]): string[] {
  const names = new Set(given.map(argName));
  const left = Object.entries(flags).filter(([name]) => !names.has(name));
  return [...argsOf(Object.fromEntries(left)), ...given.map((arg) => `--${arg}`)];
}
