/** Upstream: staging/src/k8s.io/kubectl/pkg/kuberc/marshal.go (SavePreference). */
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import { failureReason, folderFailure } from "#/std/files/file-errors.ts";
import { makeFolders } from "#/std/files/make-folders.ts";
import { CommandError } from "../../base/errors.ts";
import type { Context } from "../../command/context.ts";
import { kubercFile } from "../../kuberc/kuberc-file.ts";
import type { Preference } from "../../kuberc/preference.ts";

/** The file of a command; throws if the user has turned preferences off. */
export function namedKuberc(flag: string, { env }: Context): { path: string; isExplicit: boolean } {
  const file = kubercFile(flag, env);
  if (file.path !== "") return file;
  throw new CommandError("KUBERC is disabled via KUBERC=off environment variable");
}

/** Writes preferences, and prints the path. */
export async function saveKuberc(
  preference: Preference,
  path: string,
  context: Context,
): Promise<void> {
  const file = context.path(path);
  try {
    makeFolders(dirname(path), { mode: 0o755, from: context.cwd });
  } catch (error) {
    const reason = folderFailure(error);
    throw new CommandError(`failed to create directory ${dirname(path)}: ${reason}`, {
      cause: error,
    });
  }
  try {
    await writeFile(file, writeYaml(preference), { mode: 0o644 });
  } catch (error) {
    const reason = `open ${path}: ${failureReason(error)}`;
    throw new CommandError(`failed to write kuberc file: ${reason}`, { cause: error });
  }
  context.out.write(`Updated ${path}\n`);
}
