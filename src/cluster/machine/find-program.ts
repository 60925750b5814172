import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Folders of programs that root's PATH may lack. */
const moreFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** The path of a program, in a given folder or one of $PATH; undefined if the machine has none of that name. */
export function findProgram(name: string, folder?: string): string | undefined {
  const usual = [...(process.env["PATH"] ?? "").split(delimiter), ...moreFolders];
  const folders = folder === undefined ? usual : [folder, ...usual];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
